"""How the bits of the hidden neurons may be joined to the network's output."""

OUTPUTS = {
    "or": "1 where at least one hidden neuron fires",
    "and": "1 where all hidden neurons fire",
    "xor": "1 where an odd number of hidden neurons fires",
    "evolved": "an output neuron over the hidden bits, evolved like the others",
}
