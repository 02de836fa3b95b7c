package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/google/pprof/profile"
)

// profiler records what the engine's processes spend their CPU time on.
type profiler struct {
	file      string            // that gets the profile of all of them; empty for none
	addresses map[string]string // of the processes, by name
}

// settings are those of a process, with an address for its profiles besides.
func (p *profiler) settings(process string, shared map[string]string) (map[string]string, error) {
	if p.file == "" {
		return shared, nil
	}
	address, port, err := freeAddress()
	if err != nil {
		return nil, err
	}
	own := maps.Clone(shared)
	own["ENGINE_GRAPHQL_PROFILING"], own["ENGINE_GRAPHQL_STATUS_PORT"] = "true", port
	if p.addresses == nil {
		p.addresses = make(map[string]string)
	}
	p.addresses[process] = address
	return own, nil
}

// start begins the profiles, which end after length. finish waits for that and writes the file.
func (p *profiler) start(ctx context.Context, length time.Duration) (finish func() error) {
	var group sync.WaitGroup
	var mu sync.Mutex
	var profiles []*profile.Profile
	var fault error
	for process, address := range p.addresses {
		group.Go(func() {
			one, err := fetchProfile(ctx, address, length)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				fault = errors.Join(fault, fmt.Errorf("profile of %s: %w", process, err))
				return
			}
			profiles = append(profiles, one)
		})
	}
	return func() error {
		group.Wait()
		if fault != nil || len(profiles) == 0 {
			return fault
		}
		return writeProfiles(p.file, profiles)
	}
}

func fetchProfile(ctx context.Context, address string, length time.Duration) (*profile.Profile, error) {
	url := "http://" + address + "/debug/pprof/profile?seconds=" + strconv.Itoa(int(length.Seconds()))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	return profile.Parse(response.Body)
}

// writeProfiles writes one profile of all, without the places of the programs.
func writeProfiles(path string, profiles []*profile.Profile) error {
	for _, p := range profiles {
		for _, m := range p.Mapping {
			m.File, m.BuildID = "", ""
		}
	}
	merged, err := profile.Merge(profiles)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(merged.Write(file), file.Close())
}
