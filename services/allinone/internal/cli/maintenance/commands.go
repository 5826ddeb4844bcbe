package maintenance

import "github.com/signalbox/signalbox/services/allinone/internal/cli"

// Commands returns the commands for the data directory and the process.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "doctor", Summary: "check that the gateway can start with these settings", Run: runDoctor},
		{Name: "backup", Summary: "write the data directory to one archive, even while signalbox runs", Run: writeBackup,
			Examples: []string{"--data ./data --out monday.tar.gz", "--out - | ssh elsewhere 'cat > monday.tar.gz'"}},
		{Name: "restore", Arguments: "FILE", Summary: "create a data directory from an archive", Run: restoreBackup,
			Examples: []string{"monday.tar.gz --data ./data"}},
		{Name: "probe", Arguments: "URL", Summary: "request a health page and report the result by exit code", Run: probeURL,
			Examples: []string{"http://127.0.0.1:9080/readyz"}},
		{Name: "downgrade", Summary: "prepare the stores for the previous version, while signalbox is stopped", Run: downgradeStores,
			Examples: []string{"--data ./data", "--postgres-url postgres://postgres@db/signalbox --yes"}},
		{Name: "version", Summary: "print the version, its commit, its libraries and the schemas of its stores", Run: printVersion},
	}
}

// SplitCommands returns the commands that prepare a split deployment.
func SplitCommands() []cli.Command {
	return []cli.Command{
		{Name: "certs check", Summary: "list when certificates end, and fail if one ends soon", Run: checkCerts,
			Examples: []string{"--dir ./certs", "--dir /etc/signalbox/certs --within 336h"}},
		{Name: "certs", Summary: "create the TLS certificates that the services use to identify each other", Run: createCerts,
			Examples: []string{"--dir ./certs --hosts keyauth,router"}},
		{Name: "logins", Summary: "create a Postgres login for each service", Run: createLogins},
	}
}
