package deploytest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"sigs.k8s.io/yaml"
)

// loadCompose reads a file as docker compose does: against its schema, with variables.
func loadCompose(t *testing.T, file string, environment ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "compose", "docker", file)}, cli.WithEnv(environment), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return project
}

func TestComposeOfOneMachine(t *testing.T) {
	checkCompose(t, loadCompose(t, "compose.yaml"))
}

func TestComposeOfACluster(t *testing.T) {
	var filled []string
	for _, line := range strings.Split(read(t, "compose/docker/cluster.env.example"), "\n") {
		if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			if value == "" {
				value = "a-password"
			}
			filled = append(filled, name+"="+value)
		}
	}
	project := loadCompose(t, "cluster.yaml", filled...)
	checkCompose(t, project)

	var roles []string
	for _, service := range project.Services {
		if at := slices.Index(service.Command, "--roles"); at >= 0 {
			roles = append(roles, strings.Split(service.Command[at+1], ",")...)
		}
	}
	slices.Sort(roles)
	want := allRoles(t)
	slices.Sort(want)
	if !slices.Equal(roles, want) {
		t.Errorf("the cluster runs the roles %v, want each once of %v", roles, want)
	}
	scraped := read(t, "compose/prometheus/cluster.yml")
	for _, role := range want {
		if !regexp.MustCompile(`names: \[.*\b` + role + `\b`).MatchString(scraped) {
			t.Errorf("Prometheus does not scrape %s", role)
		}
	}

	checkGrafana(t, project)

	// Without passwords there is no cluster.
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "compose", "docker", "cluster.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := options.LoadProject(t.Context()); err == nil {
		t.Error("a cluster without passwords is taken")
	}
}

// checkGrafana checks that Grafana has what its data sources need: the plugins that do not come
// with it, the variables that stand for passwords, and the user that ClickHouse knows.
func checkGrafana(t *testing.T, project *types.Project) {
	t.Helper()
	var provisioned struct {
		Datasources []struct {
			Type           string
			JSONData       struct{ Username string }
			SecureJSONData map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "compose/grafana/provisioning/datasources/crier.yaml")), &provisioned); err != nil {
		t.Fatal(err)
	}
	users := read(t, "compose/clickhouse/grafana.xml")
	for _, source := range provisioned.Datasources {
		environment := project.Services["grafana"].Environment
		if plugins := environment["GF_PLUGINS_PREINSTALL_SYNC"]; source.Type != "prometheus" && (plugins == nil || !slices.Contains(strings.Split(*plugins, ","), source.Type)) {
			t.Errorf("Grafana has no plugin %s", source.Type)
		}
		for _, secret := range source.SecureJSONData {
			name := strings.Trim(secret, "${}")
			given, known := environment[name], project.Services["clickhouse"].Environment[name]
			if given == nil || known == nil || *given != *known || !strings.Contains(users, `from_env="`+name+`"`) {
				t.Errorf("ClickHouse and Grafana do not share %s", name)
			}
		}
		if name := source.JSONData.Username; name != "" && !strings.Contains(users, "<"+name+">") {
			t.Errorf("ClickHouse does not know %s", name)
		}
	}
}

// checkCompose checks what holds for every service, and has crier look at the settings of its
// own.
func checkCompose(t *testing.T, project *types.Project) {
	t.Helper()
	// host/owner/name:tag, of a version that stays.
	name := regexp.MustCompile(`^docker\.io/[a-z]+/[a-z-]+:[A-Za-z0-9.-]+$`)
	for _, service := range project.Services {
		if service.Build == nil {
			if !name.MatchString(service.Image) || strings.HasSuffix(service.Image, ":latest") {
				t.Errorf("%s: %q is no image of a version", service.Name, service.Image)
			}
		} else {
			checkCrier(t, service)
		}
		for _, volume := range service.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(volume.Source); err != nil {
				t.Errorf("%s: %v", service.Name, err)
			}
		}
	}
}

func checkCrier(t *testing.T, service types.ServiceConfig) {
	t.Helper()
	if !slices.Contains(targets(t), service.Build.Target) {
		t.Errorf("%s is built as %q, which the Dockerfile does not have", service.Name, service.Build.Target)
	}
	if !service.ReadOnly || !slices.Contains(service.CapDrop, "ALL") || !slices.Contains(service.SecurityOpt, "no-new-privileges:true") {
		t.Errorf("%s may more than it needs", service.Name)
	}
	var environment []string
	for name, value := range service.Environment {
		if value != nil {
			environment = append(environment, name+"="+*value)
		}
	}
	if len(service.Command) > 0 && service.Command[0] != "serve" { // migrate
		return
	}
	var flags []string
	if len(service.Command) > 1 {
		flags = service.Command[1:]
	}
	drain := checkSettings(t, environment, flags...)
	minimum := stopOf(drain) + partsLimit
	if service.StopGracePeriod == nil || time.Duration(*service.StopGracePeriod) < minimum {
		t.Errorf("%s is killed after %v, want at least %v", service.Name, service.StopGracePeriod, minimum)
	}
}
