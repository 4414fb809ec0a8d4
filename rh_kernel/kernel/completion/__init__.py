"""Completion (Tab)."""
