#if Etcd
    import NIOSSL

    /// By what etcd's servers are known, and a client to them, where TLS is spoken.
    package struct EtcdSecurity: Sendable {
        /// The file with the certificates of who vouches for the servers (PEM); nil: those that the system
        /// trusts.
        package var authority: String?
        /// The file with this client's certificate, and those above it (PEM); nil: it has none.
        package var certificate: String?
        /// The file with the key of that (PEM).
        package var key: String?

        package init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authority = authority
            self.certificate = certificate
            self.key = key
        }

        /// Certificates that cannot be used.
        package struct Unusable: Error, CustomStringConvertible {
            /// The file.
            package let file: String
            /// Why.
            package let reason: String

            /// One sentence, and what to do.
            package var description: String {
                "\(file) cannot be used for TLS with etcd: \(reason): give a file in PEM that the daemon may read"
            }
        }

        /// What connections are made with.
        func context() throws(Unusable) -> NIOSSLContext {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.applicationProtocols = ["http/1.1"]
            if let authority {
                configuration.trustRoots = .certificates(
                    try Self.read(authority) { try NIOSSLCertificate.fromPEMFile($0) })
            }
            if let certificate {
                configuration.certificateChain = try Self.read(certificate) {
                    try NIOSSLCertificate.fromPEMFile($0).map { .certificate($0) }
                }
            }
            if let key {
                configuration.privateKey = .privateKey(
                    try Self.read(key) { try NIOSSLPrivateKey(file: $0, format: .pem) })
            }
            return try Self.read(key ?? certificate ?? authority ?? "what the system trusts") { _ in
                try NIOSSLContext(configuration: configuration)
            }
        }

        /// Why a connection was not made, a clause that also tells what to do about certificates.
        static func reason(for error: any Error) -> String {
            let text = "\(error)"
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return
                    "no authority in cluster.certificateAuthority signed its certificate, or that "
                    + "is not for this address"
            }
            if text.contains("CERTIFICATE_REQUIRED") || text.contains("ALERT_BAD_CERTIFICATE")
                || text.contains("ALERT_UNKNOWN_CA") || text.contains("ALERT_CERTIFICATE")
            {
                return
                    "it wants a client's certificate that it trusts: give the credentials etcd.crt and etcd.key"
            }
            return text
        }

        private static func read<Content>(
            _ file: String, _ body: (String) throws -> Content
        ) throws(Unusable) -> Content {
            do {
                return try body(file)
            } catch {
                throw Unusable(file: file, reason: "\(error)")
            }
        }
    }

    extension EtcdEndpoint {
        /// The name that a server's certificate has to have; nil for an address, which TLS does not name.
        var serverName: String? {
            let isAddress =
                host.contains(":")
                || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
            return isAddress ? nil : host
        }
    }
#endif
