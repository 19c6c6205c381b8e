// A consumer that does and prints what tests/support/clients/group_member.py says:
// member BOOTSTRAP GROUP TOPIC STRATEGY INSTANCE SESSION_MS.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// What it has, and what it said last of that.
type owned struct {
	sync.Mutex
	has  map[int32]bool
	said string
}

func (o *owned) change(partitions []int32, has bool) {
	o.Lock()
	defer o.Unlock()
	for _, each := range partitions {
		if has {
			o.has[each] = true
		} else {
			delete(o.has, each)
		}
	}
}

func (o *owned) tell() {
	o.Lock()
	defer o.Unlock()
	var found []int
	for each := range o.has {
		found = append(found, int(each))
	}
	sort.Ints(found)
	var words []string
	for _, each := range found {
		words = append(words, strconv.Itoa(each))
	}
	if now := "A " + strings.Join(words, ","); now != o.said {
		o.said = now
		fmt.Println(now)
	}
}

func options(args []string, mine *owned) []kgo.Opt {
	topic, strategy, instance := args[2], args[3], args[4]
	lose := func(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
		mine.change(gone[topic], false)
	}
	found := []kgo.Opt{
		kgo.SeedBrokers(args[0]),
		kgo.ConsumerGroup(args[1]),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
		kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, more map[string][]int32) {
			mine.change(more[topic], true)
		}),
		kgo.OnPartitionsRevoked(lose),
		kgo.OnPartitionsLost(lose),
	}
	if instance != "-" {
		found = append(found, kgo.InstanceID(instance))
	}
	if strategy == "consumer" {
		return append(found, kgo.ServerSideBalancer())
	}
	balancers := map[string]kgo.GroupBalancer{
		"range":              kgo.RangeBalancer(),
		"sticky":             kgo.StickyBalancer(),
		"cooperative-sticky": kgo.CooperativeStickyBalancer(),
	}
	session, err := strconv.Atoi(args[5])
	if err != nil {
		panic(err)
	}
	return append(found,
		kgo.Balancers(balancers[strategy]),
		kgo.SessionTimeout(time.Duration(session)*time.Millisecond),
		kgo.HeartbeatInterval(500*time.Millisecond),
	)
}

func isTaken(fetches kgo.Fetches) bool {
	for _, each := range fetches.Errors() {
		if errors.Is(each.Err, kerr.FencedInstanceID) || errors.Is(each.Err, kerr.UnreleasedInstanceID) {
			return true
		}
	}
	return false
}

func main() {
	mine := &owned{has: map[int32]bool{}}
	client, err := kgo.NewClient(options(os.Args[1:], mine)...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	for ctx.Err() == nil {
		brief, over := context.WithTimeout(ctx, 100*time.Millisecond)
		fetches := client.PollRecords(brief, 500)
		over()
		if isTaken(fetches) {
			fmt.Println("F")
			break
		}
		records := fetches.Records()
		if len(records) == 0 || client.CommitRecords(context.Background(), records...) == nil {
			for _, r := range records {
				fmt.Println("R", r.Partition, r.Offset, string(r.Value))
			}
			mine.tell()
		}
		client.AllowRebalance()
	}
	client.CloseAllowingRebalance()
}
