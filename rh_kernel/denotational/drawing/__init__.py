"""The layout of string diagrams (RH §6.1, §7.4): coordinates of boxes, frames and wires, without rendering."""
