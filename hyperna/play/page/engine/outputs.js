// How hidden neurons are joined: this is hyperna/network/outputs.py.
//
// Each output says what the network answers where `fire` of its `size` neurons fire. An evolved output neuron has
// weights of its own and is not listed.
export const OUTPUTS = {
  or: (fire) => fire > 0,
  and: (fire, size) => fire === size,
  xor: (fire) => fire % 2 === 1,
};

// What the output makes of so many neurons that fire; an output that is not known is an error, never taken for another.
export function outputOf(name) {
  if (!Object.hasOwn(OUTPUTS, name)) throw new Error(`no output ${name}`);
  return OUTPUTS[name];
}
