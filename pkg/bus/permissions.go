package bus

import (
	"fmt"
	"slices"
	"strings"
)

// Users of NATS besides those of the services, which are called as they are.
const (
	// UserEngine is that of engine when it runs several services over a NATS that it joins.
	UserEngine = "engine"
	// UserMetadataReader may follow the changes of the metadata, and do nothing else.
	UserMetadataReader = "metadata-reader"
	// UserOperator is that of the system account.
	UserOperator = "operator"
)

// jetStreamAPI are the subjects of requests to JetStream.
const jetStreamAPI = "$JS.API.>"

// ReaderInboxPrefix begins the inbox of UserMetadataReader.
const ReaderInboxPrefix = "_INBOX_METADATA_READER"

// Permissions are the subjects that a user of NATS may publish to and subscribe to; nothing else
// is allowed.
type Permissions struct {
	User               string
	Publish, Subscribe []string
	// NoPublish are subjects among Publish that it may not publish to.
	NoPublish []string
	// Inbox is set for readers: the subjects among Subscribe that replies to it come to. A reader has an account of its own, which imports
	// what it may ask and hear. So a reply can't go to a subject of the services, as NATS doesn't compare reply subjects with permissions.
	Inbox string
}

// services have a user each.
var services = []string{ServiceGateway, ServiceMetadata, ServiceQueryExecutor, ServiceEventDelivery, ServiceScheduler}

// Users are the users of the account that the services share, with what each needs.
func Users() []Permissions {
	var users []Permissions
	// The tools of operators connect as it, too: they ask services how they are.
	all := Permissions{User: UserEngine, Subscribe: []string{InboxPrefix(UserEngine) + ".>", "_INBOX.>"}, Publish: []string{"$SRV.>"}}
	for _, s := range services {
		p := servicePermissions(s)
		users = append(users, p)
		all.Publish = append(all.Publish, p.Publish...)
		all.Subscribe = append(all.Subscribe, p.Subscribe...)
	}
	// As the caller of a service elsewhere, and as what a service elsewhere calls.
	all.Publish = append(all.Publish, InboxPrefix(UserEngine)+".*.>")
	reader := Permissions{
		User: UserMetadataReader,
		// Single messages of the stream by their number, and new ones as they come. No consumers:
		// those may send what they read to any subject.
		Publish: []string{
			streamInfo(ChangesStream), streamGet(ChangesStream),
			"$JS.API.DIRECT.GET." + ChangesStream, "$JS.API.DIRECT.GET." + ChangesStream + ".>",
		},
		Subscribe: []string{ChangesSubject, ReaderInboxPrefix + ".>"},
		Inbox:     ReaderInboxPrefix + ".>",
	}
	users = append(users, all, reader)
	for i := range users {
		users[i].Publish, users[i].Subscribe = sorted(users[i].Publish), sorted(users[i].Subscribe)
	}
	return users
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// servicePermissions follow from what a service answers, calls and hears.
func servicePermissions(service string) Permissions {
	p := Permissions{User: service, Subscribe: []string{
		InboxPrefix(service) + ".>", cancelSubject(service),
		// What tools ask of services, and below where their answers go to.
		"$SRV.*", "$SRV.*." + service, "$SRV.*." + service + ".*",
	}, Publish: []string{"_INBOX.>"}}
	for _, e := range endpoints() {
		if e.Service == service {
			p.Subscribe = append(p.Subscribe, requestSubjects(e)...)
			p.Publish = append(p.Publish, presentSubject(service))
			for _, caller := range append([]string{UserEngine}, services...) {
				if caller == UserEngine || e.callers.has(caller) {
					p.Publish = append(p.Publish, repliesSubject(InboxPrefix(caller)+".*"))
				}
			}
		}
		if e.callers.has(service) {
			p.Publish = append(append(p.Publish, requestSubjects(e)...), cancelSubject(e.Service))
			p.Subscribe = append(p.Subscribe, presentSubject(e.Service))
			for _, responder := range []string{UserEngine, e.Service} {
				p.Publish = append(p.Publish, addressesSubject(InboxPrefix(responder)+".*"))
			}
		}
	}
	for _, t := range topics() {
		if t.publishers.has(service) {
			p.Publish = append(p.Publish, t.Subject)
		}
		if t.subscribers.has(service) {
			p.Subscribe = append(p.Subscribe, t.Subject)
		}
	}
	p.Publish = append(p.Publish, followerSubjects()...)
	switch service {
	case ServiceMetadata:
		p.Publish = append(p.Publish, publisherSubjects()...)
	case ServiceGateway, ServiceQueryExecutor:
		p.Publish = append(p.Publish, cacheUserSubjects()...)
	case ServiceScheduler:
		p.Publish = append(p.Publish, deliveriesSubjects()...)
	case ServiceEventDelivery:
		p.Publish = append(p.Publish, deliveriesSubjects()...)
		p.Publish = append(p.Publish, workerSubjects()...)
		p.Publish = append(p.Publish, changePublisherSubjects()...)
		p.NoPublish = foreignStreamSubjects()
	}
	return p
}

// requestSubjects are where requests to an endpoint are sent to: its own subject and, where
// replicas share it, that of each of them.
func requestSubjects(e Endpoint) []string {
	if e.Replica {
		return []string{e.Subject}
	}
	return []string{e.Subject, directSubject(e.Subject, "*")}
}

func streamInfo(stream string) string { return "$JS.API.STREAM.INFO." + stream }
func streamGet(stream string) string  { return "$JS.API.STREAM.MSG.GET." + stream }

// streamAdmin creates and changes a stream.
func streamAdmin(stream string) []string {
	return []string{streamInfo(stream), "$JS.API.STREAM.CREATE." + stream, "$JS.API.STREAM.UPDATE." + stream}
}

// objectStream and cacheStream are the streams below the two buckets.
const (
	objectStream = "OBJ_" + SnapshotsBucket
	cacheStream  = "KV_" + CacheBucket
)

// followerSubjects are for followers of the metadata: the stream, and snapshots to start from.
func followerSubjects() []string {
	list := []string{streamGet(ChangesStream), "$JS.API.DIRECT.GET." + objectStream + ".>", streamGet(objectStream), "$JS.FC." + objectStream + ".>"}
	for _, stream := range []string{ChangesStream, objectStream} {
		list = append(list, streamInfo(stream),
			"$JS.API.CONSUMER.CREATE."+stream+".>", "$JS.API.CONSUMER.INFO."+stream+".*",
			"$JS.API.CONSUMER.MSG.NEXT."+stream+".*", "$JS.API.CONSUMER.DELETE."+stream+".*")
	}
	return list
}

// publisherSubjects are for the owner of the stream of changes and of the snapshots, which also creates the cache of answers.
func publisherSubjects() []string {
	list := []string{
		ChangesSubject, "$JS.API.STREAM.DELETE." + ChangesStream,
		"$O." + SnapshotsBucket + ".>", "$JS.API.STREAM.PURGE." + objectStream, "$JS.API.STREAM.DELETE." + objectStream,
	}
	return slices.Concat(list, streamAdmin(ChangesStream), streamAdmin(objectStream), streamAdmin(cacheStream))
}

// cacheUserSubjects are for users of the cache of answers.
func cacheUserSubjects() []string {
	return []string{
		streamInfo(cacheStream), "$KV." + CacheBucket + ".>",
		"$JS.API.DIRECT.GET." + cacheStream, "$JS.API.DIRECT.GET." + cacheStream + ".>", "$JS.API.STREAM.PURGE." + cacheStream,
	}
}

// deliveriesSubjects are for publishers to the work queue.
func deliveriesSubjects() []string {
	return []string{
		streamInfo(DeliveriesStream), "$JS.API.STREAM.CREATE." + DeliveriesStream, "$JS.API.STREAM.DELETE." + DeliveriesStream,
		deliveriesSubject,
	}
}

// workerSubjects are for consumers of the work queue, which publish the events that users want on
// subjects.
func workerSubjects() []string {
	worker := DeliveriesStream + "." + deliveriesConsumer
	return []string{
		"$JS.API.CONSUMER.CREATE." + worker, "$JS.API.CONSUMER.DURABLE.CREATE." + worker, "$JS.API.CONSUMER.INFO." + worker,
		"$JS.API.CONSUMER.MSG.NEXT." + worker, "$JS.ACK." + worker + ".>",
		"$JS.API.STREAM.CREATE." + EventsStream, eventsSubjects,
	}
}

// changePublisherSubjects are for who publishes changes of tables. The names of the streams are the users', and
// permissions know no part of a name.
func changePublisherSubjects() []string {
	return []string{
		publishedPrefix + ">", "$JS.API.STREAM.LIST", streamInfo("*"), streamGet("*"),
		"$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.UPDATE.*", "$JS.API.STREAM.PURGE.*", "$JS.API.STREAM.DELETE.*",
	}
}

// ChangesReader are the permissions of a user who may read published changes, and do nothing else. Its inbox has
// InboxPrefix of its name.
func ChangesReader(user string, publications ...PublishedName) Permissions {
	p := Permissions{User: user, Inbox: InboxPrefix(user) + ".>"}
	p.Subscribe = []string{p.Inbox}
	for _, n := range publications {
		// As for the stream of metadata: no consumers.
		stream, subject := PublishedStream(n.Source, n.Name), PublishedSubject(n.Source, n.Name)
		p.Publish = append(p.Publish, streamInfo(stream), "$JS.API.DIRECT.GET."+stream, "$JS.API.DIRECT.GET."+stream+".>")
		p.Subscribe = append(p.Subscribe, subject, subject+".>")
	}
	return p
}

// foreignStreamSubjects are what who publishes changes of tables may not do with the streams of other services.
func foreignStreamSubjects() []string {
	list := []string{streamGet(cacheStream)}
	for _, stream := range []string{ChangesStream, objectStream, cacheStream} {
		for _, verb := range []string{"CREATE", "UPDATE", "PURGE", "DELETE"} {
			list = append(list, "$JS.API.STREAM."+verb+"."+stream)
		}
	}
	return sorted(list)
}

// asks are the services that this process may ask: those that its service calls, and all of
// them when its connection is not that of one service.
func (b *Bus) asks() []string {
	if _, one := members[b.cfg.Name]; !one {
		return services
	}
	var list []string
	for _, e := range endpoints() {
		if e.callers.has(b.cfg.Name) && !slices.Contains(list, e.Service) {
			list = append(list, e.Service)
		}
	}
	return list
}

// PasswordVariable is the name that the configuration of NATS has for a user's password.
func PasswordVariable(user string) string {
	return "NATS_" + accountOf(user) + "_PASSWORD"
}

// AccountsConf is the configuration of NATS for the users, as deploy/nats/accounts.conf has it.
func AccountsConf() string {
	var b strings.Builder
	b.WriteString(`# Who may do what on NATS: a user for each service with the subjects that it needs, and no others.
# Generated from the subjects in pkg/bus (make generate); secured.conf includes it.
#
# Each password is a variable of the environment, or of this file. It may be a bcrypt hash (nats
# server passwd).
#   NATS_<SERVICE>_PASSWORD        of the services: ENGINE_GRAPHQL_NATS_URL=nats://gateway:...@host:4222
#   NATS_ENGINE_PASSWORD           of "engine serve --nats-url", which is all services at once
#   NATS_METADATA_READER_PASSWORD  of those who follow the metadata and change nothing
#   NATS_OPERATOR_PASSWORD         of operators, for the system account

accounts {
  ENGINE {
    jetstream: enabled
    users: [
`)
	var readers []Permissions
	for _, u := range Users() {
		if u.Inbox != "" {
			readers = append(readers, u)
			continue
		}
		writeUser(&b, u)
	}
	b.WriteString("    ]\n    exports: [\n")
	for _, u := range readers {
		services, streams := u.Imports()
		for _, subject := range services {
			fmt.Fprintf(&b, "      { service: %q, response_type: stream, accounts: [%s] }\n", subject, accountOf(u.User))
		}
		for _, subject := range streams {
			fmt.Fprintf(&b, "      { stream: %q, accounts: [%s] }\n", subject, accountOf(u.User))
		}
	}
	b.WriteString("    ]\n  }\n")
	for _, u := range readers {
		services, streams := u.Imports()
		fmt.Fprintf(&b, "  # What it asks is answered in its own account: a reply can't go to a subject of the services.\n  %s {\n    imports: [\n", accountOf(u.User))
		for _, subject := range services {
			fmt.Fprintf(&b, "      { service: { account: ENGINE, subject: %q } }\n", subject)
		}
		for _, subject := range streams {
			fmt.Fprintf(&b, "      { stream: { account: ENGINE, subject: %q } }\n", subject)
		}
		b.WriteString("    ]\n    users: [\n")
		writeUser(&b, u)
		b.WriteString("    ]\n  }\n")
	}
	b.WriteString(`  SYS {
    users: [ { user: ` + UserOperator + `, password: $` + PasswordVariable(UserOperator) + ` } ]
  }
}

system_account: SYS
`)
	return b.String()
}

// Imports are what the account of a reader imports from that of the services: what it asks, which its permissions narrow down, and what it hears. An
// account that doesn't import the API of JetStream as a whole has one of its own, which answers that it is disabled.
func (p Permissions) Imports() (services, streams []string) {
	return []string{jetStreamAPI}, slices.DeleteFunc(slices.Clone(p.Subscribe), func(subject string) bool { return subject == p.Inbox })
}

// accountOf is the name of a reader's account.
func accountOf(user string) string {
	return strings.ToUpper(strings.ReplaceAll(user, "-", "_"))
}

func writeUser(b *strings.Builder, u Permissions) {
	fmt.Fprintf(b, "      { user: %s, password: $%s, permissions: {\n", u.User, PasswordVariable(u.User))
	for _, list := range []struct {
		verb          string
		allowed, none []string
	}{{"publish", u.Publish, u.NoPublish}, {"subscribe", u.Subscribe, nil}} {
		fmt.Fprintf(b, "          %s: ", list.verb)
		if list.none != nil {
			b.WriteString("{ deny: ")
			writeSubjects(b, list.none)
			b.WriteString("          allow: ")
		}
		writeSubjects(b, list.allowed)
		if list.none != nil {
			b.WriteString("          }\n")
		}
	}
	b.WriteString("      } }\n")
}

func writeSubjects(b *strings.Builder, subjects []string) {
	b.WriteString("[\n")
	for _, subject := range subjects {
		fmt.Fprintf(b, "            %q\n", subject)
	}
	b.WriteString("          ]\n")
}

// AllUsers are the names of those that have a password.
func AllUsers() []string {
	names := []string{UserOperator}
	for _, u := range Users() {
		names = append(names, u.User)
	}
	slices.Sort(names)
	return names
}
