# Three ways to ask, one answer; --json is an object.
schedlab version | grep -cE '^schedlab [0-9]+\.[0-9]+\.[0-9]+$'
[ "$(schedlab version)" = "$(schedlab --version)" ] && echo same
schedlab version --json | grep -oE '"schedlab"|"abi"|"compiler"'
schedlab version --build | grep -cE '^(schedlab|plug-in|compiler|build|data|policies|gsl|lua)'
