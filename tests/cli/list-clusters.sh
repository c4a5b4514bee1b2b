# Kinds of cluster files, and the settings that change what they say.
schedlab list clusters
schedlab list settings | sed -n '/cluster/,/replay/p'
