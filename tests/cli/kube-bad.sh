# Manifests that cannot be read: one error each, at its place.
try() {
	cat >bad.yaml
	schedlab run bad.yaml -c "${1:-bad.yaml}"
	echo "exit $?"
}
try <<'END'
apiVersion: v1
kind: Namespace
metadata: { name: a }
END
try <<'END'
apiVersion: v1
kind: Node
metadata: { name: n }
END
try <<'END'
apiVersion: v1
kind: Node
metadata: { name: n }
status: { allocatable: { cpu: many } }
END
try <<'END'
apiVersion: v1
metadata: { name: n }
END
cat >node.yaml <<'END'
apiVersion: v1
kind: Node
metadata: { name: n }
status: { allocatable: { cpu: 4 } }
END
try node.yaml <node.yaml
try node.yaml <<'END'
apiVersion: v1
kind: Pod
metadata: { name: a, annotations: { schedlab/run-time: soon } }
spec: { containers: [ ] }
END
try node.yaml <<'END'
apiVersion: v1
kind: Pod
metadata: { name: a, creationTimestamp: "2026-01-05T10:00:00Z" }
spec: { containers: [ ] }
---
apiVersion: v1
kind: Pod
metadata: { name: b, annotations: { schedlab/submit: "5" } }
spec: { containers: [ ] }
END
try node.yaml <<'END'
apiVersion: batch/v1
kind: Job
metadata: { name: a, annotations: { schedlab/run-time: "5" } }
spec: { template: { spec: { containers: [ { resources: { requests: { cpu: 1..2 } } } ] } } }
END
cat node.yaml >twice.yaml && echo --- >>twice.yaml && cat node.yaml >>twice.yaml
try twice.yaml <node.yaml
mkdir empty
try empty <node.yaml
schedlab run "$ROOT/docs/examples/kueue/baseline.yaml" -c node.yaml --set cluster.nodes=3
echo "exit $?"
