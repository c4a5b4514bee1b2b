# '-' is stdin, plain or compressed; both runs end alike.
schedlab run - --quiet <"$DATA/four.swf" >plain
gzip -c "$DATA/four.swf" | schedlab run - --quiet >packed
cmp plain packed && echo same
