"""What a network is: kinds of neurons, how they are joined, integer genomes, answers to points."""
