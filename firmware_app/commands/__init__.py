"""The commands of ``fortune-table``, one module each, loaded only when called."""
