// The kubectl lines of the seed's four test scenarios, as they are there, except for `rlc` instead of `rc`, which is the short
// name of ReplicationControllers, and except for lines that only look: `get pods -w` and `logs`.

/** Scenario 1: a reload by a ReloaderConfig. */
export const byConfig = {
  createDeployment: `
cat <<EOF | kubectl apply -f -
apiVersion: apps/v1
kind: Deployment
metadata:
  name: test-app
  namespace: default
spec:
  replicas: 2
  selector:
    matchLabels:
      app: test
  template:
    metadata:
      labels:
        app: test
    spec:
      containers:
      - name: app
        image: nginx:alpine
        env:
        - name: SECRET_VALUE
          valueFrom:
            secretKeyRef:
              name: test-secret
              key: password
EOF
`,
  createSecret: String.raw`
kubectl create secret generic test-secret \
  --from-literal=password=initial123
`,
  createConfig: `
kubectl apply -f - <<EOF
apiVersion: reloader.stakater.com/v1alpha1
kind: ReloaderConfig
metadata:
  name: test-reloader
  namespace: default
spec:
  watchedResources:
    secrets:
      - test-secret
  targets:
    - kind: Deployment
      name: test-app
  reloadStrategy: env-vars
EOF
`,
  checkStatus: "kubectl get rlc test-reloader -o yaml",
  updateSecret: String.raw`
kubectl create secret generic test-secret \
  --from-literal=password=updated456 \
  --dry-run=client -o yaml | kubectl apply -f -
`,
};

/** Scenario 2: a reload by an annotation. */
export const byAnnotation = {
  createDeployment: `
cat <<EOF | kubectl apply -f -
apiVersion: apps/v1
kind: Deployment
metadata:
  name: annotated-app
  namespace: default
  annotations:
    secret.reloader.stakater.com/reload: "app-secret"
spec:
  replicas: 1
  selector:
    matchLabels:
      app: annotated
  template:
    metadata:
      labels:
        app: annotated
    spec:
      containers:
      - name: app
        image: nginx:alpine
        volumeMounts:
        - name: secret-volume
          mountPath: /etc/secrets
      volumes:
      - name: secret-volume
        secret:
          secretName: app-secret
EOF
`,
  createSecret: String.raw`
kubectl create secret generic app-secret \
  --from-literal=api-key=key123
`,
  updateSecret: String.raw`
kubectl create secret generic app-secret \
  --from-literal=api-key=key456 \
  --dry-run=client -o yaml | kubectl apply -f -
`,
  watchRollout: "kubectl rollout status deployment/annotated-app",
};

/** Scenario 3: a ConfigMap, and the strategy `annotations`. */
export const byConfigMap = {
  createConfigMap: String.raw`
kubectl create configmap app-config \
  --from-literal=env=development \
  --from-literal=debug=true
`,
  createConfig: `
kubectl apply -f - <<EOF
apiVersion: reloader.stakater.com/v1alpha1
kind: ReloaderConfig
metadata:
  name: cm-reloader
spec:
  watchedResources:
    configMaps:
      - app-config
  targets:
    - kind: Deployment
      name: test-app
  reloadStrategy: annotations
EOF
`,
  updateConfigMap: String.raw`
kubectl create configmap app-config \
  --from-literal=env=production \
  --from-literal=debug=false \
  --dry-run=client -o yaml | kubectl apply -f -
`,
};

/** Scenario 4: a pause period. Between the two updates the seed sleeps for 10 seconds. */
export const pausePeriod = {
  createConfig: `
kubectl apply -f - <<EOF
apiVersion: reloader.stakater.com/v1alpha1
kind: ReloaderConfig
metadata:
  name: paused-reloader
spec:
  watchedResources:
    secrets:
      - frequent-secret
  targets:
    - kind: Deployment
      name: test-app
      pausePeriod: 5m  # Prevent reloads within 5 minutes
EOF
`,
  firstUpdate:
    "kubectl create secret generic frequent-secret --from-literal=val=1 --dry-run=client -o yaml | kubectl apply -f -",
  secondUpdate:
    "kubectl create secret generic frequent-secret --from-literal=val=2 --dry-run=client -o yaml | kubectl apply -f -",
};
