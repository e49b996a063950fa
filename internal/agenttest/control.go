package agenttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// control serves what a script in another process needs of an [Agent]:
//
//	PUT /control/card      the body becomes the card, byte for byte
//	PUT /control/merge     the body is laid over the card, as [Merge] does
//	PUT /control/answer    {"status": 503, "delay": "2s", "headers": {"Retry-After": "9"}, "etag": "…", "body": "…"}
//	GET /control/requests  the requests received so far
func (a *Agent) control() http.Handler {
	mux := http.NewServeMux()
	put := func(path string, do func(body []byte) error) {
		mux.HandleFunc("PUT /control/"+path, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = do(body)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		})
	}
	put("card", func(body []byte) error { a.SetCard(body); return nil })
	put("merge", func(body []byte) error {
		if !json.Valid(body) || !json.Valid(a.Card()) {
			return fmt.Errorf("merging needs JSON on both sides")
		}
		a.SetCard(Merge(a.Card(), string(body)))
		return nil
	})
	put("answer", func(body []byte) error {
		n, err := parseAnswer(body)
		if err == nil {
			a.SetAnswer(n)
		}
		return err
	})
	mux.HandleFunc("GET /control/requests", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(a.Requests())
	})
	return mux
}

func parseAnswer(body []byte) (Answer, error) {
	var in struct {
		Status  int               `json:"status"`
		Delay   string            `json:"delay"`
		Headers map[string]string `json:"headers"`
		ETag    string            `json:"etag"`
		Body    *string           `json:"body"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Answer{}, fmt.Errorf("answer: %w", err)
	}
	n := Answer{Status: in.Status, ETag: in.ETag, Header: http.Header{}}
	if in.Status != 0 && (in.Status < 200 || in.Status > 599) {
		return Answer{}, fmt.Errorf("answer: status %d: want 200 to 599", in.Status)
	}
	if in.Delay != "" {
		delay, err := time.ParseDuration(in.Delay)
		if err != nil {
			return Answer{}, fmt.Errorf("answer: %w", err)
		}
		n.Delay = delay
	}
	for name, value := range in.Headers {
		n.Header.Set(name, value)
	}
	if in.Body != nil {
		n.Body = []byte(*in.Body)
	}
	return n, nil
}
