package lanes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var said []string
		begun := time.Now()
		say := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, fmt.Sprintf("%s %s", time.Since(begun), what))
		}
		s := Set[string]{Gone: func() { say("gone") }}
		s.Run = func(turn, hard context.Context, of string) {
			say(of + " begins")
			<-turn.Done()
			if strings.HasPrefix(of, "slow") {
				<-hard.Done()
			}
			say(of + " ends")
		}
		ctx, cancel := context.WithCancel(t.Context())
		hard, cut := context.WithCancel(context.Background())
		for _, want := range []map[string]string{
			{"a": "slow a", "b": "b", "c": "c"},
			{"a": "a", "b": "b", "d": "d"}, // a waits for slow a, b is not disturbed
			{"a": "another a", "b": "b", "d": "d"},
		} {
			s.Turn(ctx, hard, want)
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		if s.Has("c") || !s.Has("a") || !s.Has("b") {
			t.Error("Has does not say what runs")
		}
		cancel()
		cut()
		s.Wait()
		slices.Sort(said)
		want := []string{
			"0s b begins", "0s c begins", "0s slow a begins", "1m3s another a ends", "1m3s b ends", "1m3s d ends",
			"1s c ends", "1s d begins", "1s gone", "21s a begins", "21s a ends", "21s another a begins", "21s slow a ends",
		}
		if !slices.Equal(said, want) {
			t.Errorf("%q\nwant\n%q", said, want)
		}
	})
}
