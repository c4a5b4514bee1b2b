# Node types with what they have and whose figures they are, as text and as JSON.
schedlab list nodes
schedlab list nodes --json | head -n 4
