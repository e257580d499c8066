package deploytest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"os"
)

const chart = root + "/compose/helm/crier"

// needed is what an operator must say.
func needed() map[string]any {
	return map[string]any{"config": map[string]any{
		"postgres": "postgres://crier@postgres.example/crier", "kafka": []any{"kafka-1.example:9093", "kafka-2.example:9093"},
		"clickhouse": "https://crier@clickhouse.example:8443/crier", "media-s3": "s3://s3.example/crier?region=r", "public-url": "https://crier.example",
	}}
}

// everything is on.
func everything() map[string]any {
	values := needed()
	values["caSecret"] = "authorities"
	values["ingress"] = map[string]any{"enabled": true, "host": "crier.example", "className": "nginx", "tlsSecret": "crier-tls", "annotations": map[string]any{"a": "b"}}
	values["podMonitor"] = map[string]any{"enabled": true}
	values["serviceAccount"] = map[string]any{"annotations": map[string]any{"role": "bucket"}}
	values["imagePullSecrets"] = []any{map[string]any{"name": "registry"}}
	values["tolerations"] = []any{map[string]any{"key": "crier", "operator": "Exists"}}
	values["nodeSelector"], values["podLabels"], values["podAnnotations"] = map[string]any{"disk": "ssd"}, map[string]any{"team": "social"}, map[string]any{"a": "b"}
	roles := map[string]any{}
	for _, role := range []string{"gateway", "publish", "comment", "notify"} {
		roles[role] = map[string]any{"autoscaling": map[string]any{"enabled": true}}
	}
	values["roles"] = roles
	return values
}

// render makes the objects of the chart, each read strictly as what it says it is; those that
// Kubernetes does not know itself are left out.
func render(t *testing.T, values map[string]any) ([]runtime.Object, error) {
	t.Helper()
	loaded, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	release := chartutil.ReleaseOptions{Name: "test", Namespace: "social", IsInstall: true, Revision: 1}
	all, err := chartutil.ToRenderValues(loaded, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for name, content := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range strings.Split(content, "\n---") {
			if strings.TrimSpace(strings.Trim(document, "-\n ")) == "" || strings.Contains(document, "monitoring.coreos.com") {
				continue
			}
			object, _, err := decoder.Decode([]byte(document), nil, nil)
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, document)
				continue
			}
			objects = append(objects, object)
		}
	}
	return objects, nil
}

func only[T runtime.Object](objects []runtime.Object) (found []T) {
	for _, object := range objects {
		if one, ok := object.(T); ok {
			found = append(found, one)
		}
	}
	return found
}

func TestChartPassesHelmsLinter(t *testing.T) {
	for name, values := range map[string]map[string]any{"needed": needed(), "everything": everything()} {
		for _, message := range lint.All(chart, values, "social", true).Messages {
			// A chart without a picture is one.
			if message.Severity >= support.WarningSev {
				t.Errorf("%s: %v", name, message)
			}
		}
	}
}

func TestChartIsWhatKubernetesReads(t *testing.T) {
	for name, values := range map[string]map[string]any{"needed": needed(), "everything": everything()} {
		t.Run(name, func(t *testing.T) {
			objects, err := render(t, values)
			if err != nil {
				t.Fatal(err)
			}
			deployments := only[*appsv1.Deployment](objects)
			var roles []string
			for _, d := range deployments {
				roles = append(roles, d.Labels["app.kubernetes.io/component"])
				checkDeployment(t, d, objects)
			}
			want := allRoles(t)
			slices.Sort(want)
			slices.Sort(roles)
			if !slices.Equal(roles, want) {
				t.Errorf("deployed are %v, want %v", roles, want)
			}
			if scaled := len(only[*autoscalingv2.HorizontalPodAutoscaler](objects)); scaled != map[string]int{"needed": 0, "everything": 4}[name] {
				t.Errorf("%d roles are scaled", scaled)
			}
			for _, s := range only[*corev1.Service](objects) {
				if n := len(selected(deployments, s.Spec.Selector)); n != 1 {
					t.Errorf("the service %s is of %d deployments", s.Name, n)
				}
			}
			if jobs := only[*batchv1.Job](objects); len(jobs) != 1 {
				t.Errorf("%d jobs migrate", len(jobs))
			}
		})
	}
}

// checkDeployment checks probes, the time to stop, the settings, and who watches over the pods.
func checkDeployment(t *testing.T, d *appsv1.Deployment, objects []runtime.Object) {
	t.Helper()
	pod := d.Spec.Template.Spec
	c := pod.Containers[0]
	for name, probe := range map[string]*corev1.Probe{"/readyz": c.ReadinessProbe, "/healthz": c.LivenessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != name {
			t.Errorf("%s is not asked at %s", d.Name, name)
		}
	}
	if c.StartupProbe == nil {
		t.Errorf("%s may not take its time to start", d.Name)
	}
	if pod.SecurityContext.RunAsNonRoot == nil || !*pod.SecurityContext.RunAsNonRoot || c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
		t.Errorf("%s may more than it needs", d.Name)
	}
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil || !selector.Matches(labels.Set(d.Spec.Template.Labels)) {
		t.Errorf("%s does not select its own pods: %v", d.Name, err)
	}
	budgets := 0
	for _, b := range only[*policyv1.PodDisruptionBudget](objects) {
		if of, err := metav1.LabelSelectorAsSelector(b.Spec.Selector); err == nil && of.Matches(labels.Set(d.Spec.Template.Labels)) {
			budgets++
		}
	}
	if several := d.Spec.Replicas == nil || *d.Spec.Replicas > 1; several != (budgets == 1) {
		t.Errorf("%s has %d budgets of disruption", d.Name, budgets)
	}
	drain := checkSettings(t, settingsOf(t, c, objects), c.Args[1:]...)
	grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	if c.Lifecycle != nil {
		grace -= time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	}
	if grace < stopOf(drain) {
		t.Errorf("%s is killed after %v, want at least %v", d.Name, grace, stopOf(drain))
	}
}

// settingsOf is the environment of a container, with the configuration file where the test can
// write it.
func settingsOf(t *testing.T, c corev1.Container, objects []runtime.Object) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "crier.yaml")
	for _, s := range only[*corev1.Secret](objects) {
		if strings.HasSuffix(s.Name, "-config") {
			if err := os.WriteFile(file, []byte(s.StringData["crier.yaml"]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var environment []string
	for _, v := range c.Env {
		if v.Name == "CRIER_CONFIG" {
			v.Value = file
		}
		environment = append(environment, v.Name+"="+v.Value)
	}
	return environment
}

func selected(deployments []*appsv1.Deployment, selector map[string]string) (found []string) {
	for _, d := range deployments {
		if labels.SelectorFromSet(selector).Matches(labels.Set(d.Spec.Template.Labels)) {
			found = append(found, d.Name)
		}
	}
	return found
}

func TestChartRefusesWhatCannotWork(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(map[string]any)
		want   string
	}{
		"no PostgreSQL":         {func(v map[string]any) { v["config"].(map[string]any)["postgres"] = "" }, "postgres"},
		"a kill before the end": {func(v map[string]any) { v["terminationGracePeriodSeconds"] = 65 }, "more than twice config.drain"},
		"a longer drain":        {func(v map[string]any) { v["config"].(map[string]any)["drain"] = "60s" }, "more than twice config.drain"},
		"a role that is none":   {func(v map[string]any) { v["roles"] = map[string]any{"dealy": map[string]any{"replicas": 1}} }, "dealy"},
		"a value that is none":  {func(v map[string]any) { v["replicas"] = 3 }, "replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			values := needed()
			tt.change(values)
			if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("rendering: %v, want %q", err, tt.want)
			}
		})
	}
}
