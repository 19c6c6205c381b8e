// Asks a broker what its admin client can learn and what is refused, and prints it as one JSON
// object: what was asked -> the answer, or the error.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	client, err := kgo.NewClient(kgo.SeedBrokers(os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := json.NewEncoder(os.Stdout).Encode(answers(ctx, kadm.NewClient(client))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answers(ctx context.Context, admin *kadm.Client) map[string]string {
	found := map[string]string{}
	note := func(asked string, err error) {
		found[asked] = "no error"
		if err != nil {
			found[asked] = err.Error()
		}
	}

	versions, err := admin.ApiVersions(ctx)
	note("versions", err)
	versions.Each(func(v kadm.BrokerApiVersions) {
		note("versions", v.Err)
		found["release"] = v.VersionGuess()
		var ranges []string
		v.EachKeySorted(func(key, first, last int16) {
			ranges = append(ranges, fmt.Sprintf("%d: %d-%d", key, first, last))
		})
		found["ranges"] = strings.Join(ranges, ", ")
	})

	rule := func() *kadm.ACLBuilder {
		return kadm.NewACLs().Topics("t").ResourcePatternType(kadm.ACLPatternLiteral).
			Operations(kadm.OpRead).Allow("User:me").AllowHosts("*")
	}
	created, err := admin.CreateACLs(ctx, rule())
	note("create ACLs", err)
	for _, one := range created {
		note("create ACL", one.Err)
	}
	described, err := admin.DescribeACLs(ctx, rule())
	note("describe ACLs", err)
	for _, one := range described {
		note("describe ACL", one.Err)
	}
	deleted, err := admin.DeleteACLs(ctx, rule())
	note("delete ACLs", err)
	for _, one := range deleted {
		note("delete ACL", one.Err)
	}

	_, err = admin.CreateDelegationToken(ctx, kadm.CreateDelegationToken{})
	note("create a token", err)
	_, err = admin.RenewDelegationToken(ctx, []byte("secret"), time.Hour)
	note("renew a token", err)
	_, err = admin.ExpireDelegationToken(ctx, []byte("secret"), time.Hour)
	note("expire a token", err)
	_, err = admin.DescribeDelegationTokens(ctx)
	note("describe tokens", err)

	features, err := admin.UpdateFeatures(
		ctx, false, kadm.FeatureUpdate{Feature: "metadata.version", MaxVersionLevel: 3},
	)
	note("update features", err)
	for _, one := range features {
		note("update a feature", one.Err)
	}
	return found
}
