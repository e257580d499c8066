// Package settings finds the values of flags that the command line leaves out: in the
// environment, then in a configuration file. What is wrong is gathered, so that all of it is
// said at once.
//
//	--kafka-sasl x  ▶  CRIER_KAFKA_SASL  ▶  kafka-sasl: in the file of --config  ▶  default
//
// A secret may stand in a file of its own, which NAME_FILE names in the environment, or
// name-file in the configuration file.
package settings
