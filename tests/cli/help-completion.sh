# What the shell asks for the last word.
schedlab __complete com
schedlab __complete run --st
schedlab __complete run x -p conser
schedlab __complete generate lub
schedlab __complete generate lublin --load
schedlab __complete help comp
schedlab __complete policy-test conser
schedlab __complete policy-test easy --sce
schedlab __complete run x.sw
