#if Etcd
    import Glibc
    import LinuxIO
    import Replication

    /// What the service manager hands over for etcd as credentials, see systemd.exec(5): `etcd.user` and
    /// `etcd.password`, and `etcd.crt` and `etcd.key`, the client's certificate and its key.
    struct EtcdCredentials {
        private static let mostBytes = 4096

        /// Who asks; nil: the servers do not want to know.
        let user: EtcdClient.User?
        /// By what the servers and this client are known.
        let security: EtcdSecurity

        /// - Parameters:
        ///   - folder: that of the credentials; nil: there are none.
        ///   - authority: the file with the certificates of who vouches for the servers.
        init(in folder: String?, authority: String?) throws(IOError) {
            func path(_ name: String) -> String? {
                guard let folder, access("\(folder)/\(name)", F_OK) == 0 else { return nil }
                return "\(folder)/\(name)"
            }
            func text(_ name: String) throws(IOError) -> String? {
                guard let folder,
                    let bytes = try Directory.open(folder)?.read(name, limit: Self.mostBytes)
                else { return nil }
                return String(decoding: bytes, as: UTF8.self).trimmed
            }
            if let name = try text("etcd.user"), let password = try text("etcd.password") {
                user = EtcdClient.User(name: name, password: password)
            } else {
                user = nil
            }
            security = EtcdSecurity(
                authority: authority, certificate: path("etcd.crt"), key: path("etcd.key"))
        }
    }

    extension String {
        /// Without a line's end behind it.
        fileprivate var trimmed: String { hasSuffix("\n") ? String(dropLast()) : self }
    }
#endif
