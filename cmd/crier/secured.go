package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"crier/connectors/media"
	"crier/pipeline/stream"
	"crier/schema/secure"
)

// postgresFlags say where PostgreSQL is and how it is reached.
type postgresFlags struct {
	Postgres         string `secret:"" unset:"embedded" help:"URL of PostgreSQL; several hosts for a failover."`
	PostgresCA       string `name:"postgres-ca" type:"path" placeholder:"FILE" help:"PEM file of the authorities for PostgreSQL's certificate; with it the certificate and its name are verified."`
	PostgresPassword string `secret:"only" unset:"that of the URL" help:"Password of the user in --postgres."`
}

// Validate refuses what does not fit together, and what is no address.
func (f postgresFlags) Validate() error {
	address, err := f.url()
	if err != nil || address == "" {
		return err
	}
	if _, err := pgconn.ParseConfig(address); err != nil {
		// What pgx says begins with the URL, which holds a password.
		text := err.Error()
		why := text[strings.LastIndex(text, "`")+1:]
		return fmt.Errorf("--postgres cannot be read: one like postgres://user@host:5432/database is wanted (%s)", strings.TrimPrefix(why, ": "))
	}
	return nil
}

// url is the URL with the password and the authorities in it, where pgx reads them.
func (f postgresFlags) url() (string, error) {
	if f.PostgresCA == "" && f.PostgresPassword == "" {
		return f.Postgres, nil
	}
	u, err := withPassword("--postgres", f.Postgres, f.PostgresPassword)
	if err != nil || f.PostgresCA == "" {
		return u.String(), err
	}
	if _, err := (secure.Files{CA: f.PostgresCA}).TLS(); err != nil {
		return "", fmt.Errorf("--postgres-ca: %w", err)
	}
	query := u.Query()
	switch mode := query.Get("sslmode"); mode {
	case "", "require":
		query.Set("sslmode", "verify-full")
	case "verify-ca", "verify-full":
	default:
		return "", fmt.Errorf("--postgres-ca is given, and sslmode=%s in --postgres does not ask for it: leave that out", mode)
	}
	query.Set("sslrootcert", f.PostgresCA)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// withPassword reads a URL and puts a password into it, if there is one. Its errors do not
// repeat the URL.
func withPassword(flag, address, password string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return &url.URL{}, fmt.Errorf("%s is needed beside %s-ca and %s-password", flag, flag, flag)
	case err != nil || u.Host == "":
		return &url.URL{}, fmt.Errorf("%s cannot be read: a URL is wanted", flag)
	case password == "":
		return u, nil
	case u.User.Username() == "":
		return u, fmt.Errorf("%s names no user for %s-password", flag, flag)
	}
	if _, there := u.User.Password(); there {
		return u, fmt.Errorf("%s holds a password, and %s-password is another: leave one out", flag, flag)
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u, nil
}

// clickhouseFlags say where ClickHouse is and how it is reached.
type clickhouseFlags struct {
	Clickhouse         string `secret:"" unset:"embedded" help:"URL of ClickHouse's HTTP interface, http:// or https://."`
	ClickhouseCA       string `name:"clickhouse-ca" type:"path" placeholder:"FILE" unset:"the system's" help:"PEM file of the authorities for ClickHouse's certificate; only with https://."`
	ClickhousePassword string `secret:"only" unset:"that of the URL" help:"Password of the user in --clickhouse."`
}

// Validate refuses what does not fit together, and what is no address.
func (f clickhouseFlags) Validate() error {
	address, _, err := f.reach()
	if err != nil || address == "" {
		return err
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Port() != "" && !isPort(u.Port()) {
		return errors.New("--clickhouse cannot be read: one like http://user@host:8123/database is wanted")
	}
	return nil
}

// reach returns the URL with the password in it, and TLS's settings if there are any.
func (f clickhouseFlags) reach() (string, *tls.Config, error) {
	if f.ClickhouseCA == "" && f.ClickhousePassword == "" {
		return f.Clickhouse, nil, nil
	}
	u, err := withPassword("--clickhouse", f.Clickhouse, f.ClickhousePassword)
	if err != nil || f.ClickhouseCA == "" {
		return u.String(), nil, err
	}
	if u.Scheme != "https" {
		return "", nil, errors.New("--clickhouse-ca is given, and --clickhouse does not begin with https://")
	}
	config, err := secure.Files{CA: f.ClickhouseCA}.TLS()
	if err != nil {
		err = fmt.Errorf("--clickhouse-ca: %w", err)
	}
	return u.String(), config, err
}

// kafkaFlags say where Kafka is and how it is reached.
type kafkaFlags struct {
	Kafka         string `unset:"embedded" help:"Brokers of Kafka, host:port[,…]."`
	KafkaTLS      bool   `name:"kafka-tls" help:"Reach the brokers over TLS; --kafka-ca and --kafka-cert imply it."`
	KafkaCA       string `name:"kafka-ca" type:"path" placeholder:"FILE" unset:"the system's" help:"PEM file of the authorities for the brokers' certificates."`
	KafkaCert     string `type:"path" placeholder:"FILE" help:"PEM file of this process's certificate, where brokers ask for one."`
	KafkaKey      string `type:"path" placeholder:"FILE" help:"PEM file of the key of --kafka-cert."`
	KafkaSASL     string `name:"kafka-sasl" placeholder:"MECHANISM" help:"How --kafka-user is authenticated: plain, scram-sha-256 or scram-sha-512."`
	KafkaUser     string `help:"User at the brokers, with --kafka-sasl."`
	KafkaPassword string `secret:"only" help:"Password of --kafka-user."`
}

// Validate refuses what does not fit together.
func (f kafkaFlags) Validate() error {
	_, err := f.security()
	return err
}

func (f kafkaFlags) brokers() []string {
	if f.Kafka == "" {
		return nil
	}
	brokers := strings.Split(f.Kafka, ",")
	for i, b := range brokers {
		brokers[i] = strings.TrimSpace(b)
	}
	return brokers
}

// isBroker reports whether a text is host:port, or a host alone, which is asked at port 9092.
func isBroker(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return text != "" && !strings.ContainsAny(text, ":/")
	}
	return host != "" && !strings.Contains(host, "/") && isPort(port)
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// securesKafka reports whether the brokers are reached over TLS.
func (f kafkaFlags) securesKafka() bool { return f.KafkaTLS || f.KafkaCA != "" || f.KafkaCert != "" }

// security is how the brokers are reached. Its error says all that is wrong.
func (f kafkaFlags) security() (stream.Security, error) {
	mechanism := strings.ToLower(f.KafkaSASL) // as Kafka writes it, too
	s := stream.Security{SASL: stream.Mechanism(mechanism), User: f.KafkaUser, Password: f.KafkaPassword}
	var wrong []error
	says := func(is bool, what string) {
		if is {
			wrong = append(wrong, errors.New(what))
		}
	}
	secured := f
	secured.Kafka = ""
	says(f.Kafka == "" && secured != kafkaFlags{}, "--kafka is needed beside the other flags that begin with it")
	for _, b := range f.brokers() {
		visible := b
		if end := strings.LastIndex(b, "@"); end >= 0 { // what is before holds a password
			visible = "…" + b[end:]
		}
		says(!isBroker(b), fmt.Sprintf("--kafka has %q: host:port is wanted, such as kafka-1:9092", visible))
	}
	known := slices.Contains(stream.Mechanisms(), mechanism)
	says(mechanism != "" && !known, fmt.Sprintf("--kafka-sasl is %q: %s are wanted", f.KafkaSASL, strings.Join(stream.Mechanisms(), ", ")))
	says(mechanism == "" && (f.KafkaUser != "" || f.KafkaPassword != ""), "--kafka-user and --kafka-password are given without --kafka-sasl")
	says(known && f.KafkaUser == "", "--kafka-sasl is given without --kafka-user")
	says(known && f.KafkaPassword == "", "--kafka-sasl is given without --kafka-password")
	says((f.KafkaCert == "") != (f.KafkaKey == ""), "--kafka-cert and --kafka-key are given together")
	if f.securesKafka() && (f.KafkaCert == "") == (f.KafkaKey == "") {
		var err error
		if s.TLS, err = (secure.Files{CA: f.KafkaCA, Cert: f.KafkaCert, Key: f.KafkaKey}).TLS(); err != nil {
			wrong = append(wrong, fmt.Errorf("--kafka-ca, --kafka-cert, --kafka-key: %w", err))
		}
	}
	return s, errors.Join(wrong...)
}

// mediaFlags say where media are kept and how the bucket is reached.
type mediaFlags struct {
	MediaS3   string `name:"media-s3" secret:"" unset:"a folder in --data" help:"Bucket for media, s3://HOST/BUCKET[/PREFIX][?region=R]; needed when roles run in several processes."`
	MediaS3CA string `name:"media-s3-ca" type:"path" unset:"the system's" placeholder:"FILE" help:"PEM file of the authorities for the bucket's certificate."`
	MediaDisk int64  `unset:"all but 2 GiB, or a tenth of a disk below 20 GiB" placeholder:"MIB" help:"Disk in MiB that media may take in --data."`
	MaxMedia  int64  `unset:"4096, the largest video that any platform takes" placeholder:"MIB" help:"Size in MiB of the largest file that is uploaded, or fetched for a post."`
}

// maxMedia is the most that --max-media may allow, in MiB: of one PUT to S3.
const maxMedia = 5 << 10

// maxMediaDisk is the most that --media-disk may allow, in MiB: a pebibyte.
const maxMediaDisk = 1 << 30

// Validate refuses what does not fit together.
func (f mediaFlags) Validate() error {
	if f.MediaS3 == "" && f.MediaS3CA != "" {
		return errors.New("--media-s3 is needed beside --media-s3-ca")
	}
	var err error
	if f.MediaS3 != "" {
		if _, err = media.ParseS3(f.MediaS3); err != nil {
			err = fmt.Errorf("--media-s3: %w", err)
		}
	}
	wrong := []error{err}
	if f.MaxMedia < 0 || f.MaxMedia > maxMedia {
		wrong = append(wrong, fmt.Errorf("--max-media is 0 to %d MiB: a bucket takes no larger file in one piece", maxMedia))
	}
	if f.MediaDisk < 0 || f.MediaDisk > maxMediaDisk {
		wrong = append(wrong, fmt.Errorf("--media-disk is 0 to %d MiB", maxMediaDisk))
	}
	_, err = f.tls()
	return errors.Join(append(wrong, err)...)
}

// warn tells of keys in the URL, from wherever that comes: an environment and a file of
// configuration are read by more people than the places that AWS's own tools keep keys in.
func (f mediaFlags) warn(logger *slog.Logger) {
	if c, err := media.ParseS3(f.MediaS3); err == nil && c.Key != "" {
		logger.Warn("the keys of the bucket stand in its URL", "flag", "--media-s3",
			"give_them_by", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_SHARED_CREDENTIALS_FILE, or a role")
	}
}

func (f mediaFlags) tls() (*tls.Config, error) {
	if f.MediaS3CA == "" {
		return nil, nil
	}
	config, err := secure.Files{CA: f.MediaS3CA}.TLS()
	if err != nil {
		err = fmt.Errorf("--media-s3-ca: %w", err)
	}
	return config, err
}
