#if Etcd
    import Glibc
    import LinuxIO
    import Replication

    /// Credentials for etcd, as passed by the service manager (see systemd.exec(5)).
    ///
    /// The credentials are `etcd.user`, `etcd.password`, `etcd.crt` (the client's certificate) and `etcd.key` (the
    /// certificate's private key).
    struct EtcdCredentials {
        private static let maximumCredentialBytes = 4096

        /// User name and password, or `nil` if either is missing.
        let user: EtcdClient.User?
        /// Certificates that authenticate the servers and this client.
        let security: EtcdSecurity

        /// Reads the credentials.
        ///
        /// - Parameters:
        ///   - directory: The directory that contains the credentials, or `nil` if the service manager passes none.
        ///   - authorityPath: The path of a file with the certificates of the authorities that sign the servers'
        ///     certificates.
        init(in directory: String?, authorityPath: String?) throws(IOError) {
            func path(_ name: String) -> String? {
                guard let directory, access("\(directory)/\(name)", F_OK) == 0 else { return nil }
                return "\(directory)/\(name)"
            }
            func readText(_ name: String) throws(IOError) -> String? {
                guard let directory,
                    let bytes = try Directory.open(directory)?.read(
                        name, limit: Self.maximumCredentialBytes)
                else { return nil }
                return String(decoding: bytes, as: UTF8.self).withoutTrailingNewline
            }
            if let name = try readText("etcd.user"), let password = try readText("etcd.password") {
                user = EtcdClient.User(name: name, password: password)
            } else {
                user = nil
            }
            security = EtcdSecurity(
                authorityPath: authorityPath, certificatePath: path("etcd.crt"),
                keyPath: path("etcd.key"))
        }
    }

    extension String {
        /// The string without its trailing newline.
        fileprivate var withoutTrailingNewline: String {
            hasSuffix("\n") ? String(dropLast()) : self
        }
    }
#endif
