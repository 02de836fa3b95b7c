// Package deploy_test checks what an installation in Kubernetes is made of: the manifests of
// kubernetes and the chart in helm, against the types of Kubernetes, the settings of the services,
// and a NATS server's reader of configurations.
//
// It is a module of its own outside of the workspace: the versions that Helm's libraries ask for
// would otherwise be dependencies of the programs. make test-deploy runs it.
package deploy_test
