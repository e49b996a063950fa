package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Runtime is what an orchestrator says it met when it called the agent.
type Runtime struct {
	Error  string `json:"error"` // the specification's name (A2A 5.4)
	Method string `json:"method"`
	Skill  string `json:"skill"`
	Detail string `json:"detail"`
}

// MaxText bounds each text of an orchestrator or a person, in bytes.
const MaxText = 1000

// Check says why r cannot be taken; nil when it can.
func (r *Runtime) Check() error {
	if r.Error == "" {
		return errors.New(`error: want the name of an A2A error, such as "UnsupportedOperationError"`)
	}
	for _, part := range []struct{ name, text string }{{"error", r.Error}, {"method", r.Method}, {"skill", r.Skill}, {"detail", r.Detail}} {
		if len(part.text) > MaxText {
			return fmt.Errorf("%s: over %d bytes", part.name, MaxText)
		}
	}
	return nil
}

// known are the errors of A2A 3.3.2 and 5.4.
var known = []string{
	"TaskNotFoundError", "TaskNotCancelableError", "PushNotificationNotSupportedError", "UnsupportedOperationError",
	"ContentTypeNotSupportedError", "InvalidAgentResponseError", "ExtendedAgentCardNotConfiguredError",
	"ExtensionSupportRequiredError", "VersionNotSupportedError",
}

// Kind is the error where the specification knows it, and else "other": a
// label that no caller makes up.
func (r *Runtime) Kind() string {
	if slices.Contains(known, r.Error) {
		return r.Error
	}
	return "other"
}

// Reports are what r says, one for each thing that may leave the plan. plans is
// the interface that is planned, "" for none, and sends are the media types that
// go to the skill: of them r means those that its detail names, else all.
func (r *Runtime) Reports(plans string, sends []string) []Report {
	values := []string{""}
	switch r.Error {
	case "VersionNotSupportedError":
		values[0] = plans
	case "ContentTypeNotSupportedError":
		named := slices.DeleteFunc(slices.Clone(sends), func(t string) bool { return !strings.Contains(r.Detail, t) })
		if len(named) > 0 {
			values = named
		} else if len(sends) > 0 {
			values = sends
		}
	}
	reports := make([]Report, len(values))
	for i, value := range values {
		reports[i] = Report{Error: r.Error, Method: r.Method, Skill: r.Skill, Detail: r.Detail, Value: value}
	}
	return reports
}
