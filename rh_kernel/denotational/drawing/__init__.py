"""From diagrams to drawings (RH §6.1, §7.4): where boxes, frames and wires are, in pure numbers."""
