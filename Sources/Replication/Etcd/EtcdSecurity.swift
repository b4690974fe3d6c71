#if Etcd
    import NIOSSL

    /// Paths of the files with the TLS certificates and the private key for connections to etcd.
    package struct EtcdSecurity: Sendable {
        /// Path of a PEM file with the certificates of the authorities that sign the servers' certificates, or `nil` to
        /// trust the same authorities as the system.
        package var authorityPath: String?
        /// Path of a PEM file with this client's certificate chain, or `nil` if the client has no certificate.
        package var certificatePath: String?
        /// Path of a PEM file with the private key of the client's certificate, or `nil` if the client has no
        /// certificate.
        package var keyPath: String?

        package init(
            authorityPath: String? = nil, certificatePath: String? = nil, keyPath: String? = nil
        ) {
            self.authorityPath = authorityPath
            self.certificatePath = certificatePath
            self.keyPath = keyPath
        }

        /// Error for a file that cannot be used.
        package struct UnusableFile: Error, CustomStringConvertible {
            /// Path of the file.
            package let path: String
            /// Reason why the file cannot be used.
            package let reason: String

            /// One sentence that describes the problem and says what to do.
            package var description: String {
                "\(path) cannot be used for TLS with etcd: \(reason): use a PEM file that the daemon can read"
            }
        }

        /// Creates a TLS context for connections.
        func makeContext() throws(UnusableFile) -> NIOSSLContext {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.applicationProtocols = ["http/1.1"]
            if let authorityPath {
                configuration.trustRoots = .certificates(
                    try Self.read(authorityPath) { try NIOSSLCertificate.fromPEMFile($0) })
            }
            if let certificatePath {
                configuration.certificateChain = try Self.read(certificatePath) {
                    try NIOSSLCertificate.fromPEMFile($0).map { .certificate($0) }
                }
            }
            if let keyPath {
                configuration.privateKey = .privateKey(
                    try Self.read(keyPath) { try NIOSSLPrivateKey(file: $0, format: .pem) })
            }
            return try Self.read(
                keyPath ?? certificatePath ?? authorityPath
                    ?? "the system's list of trusted certificates"
            ) { _ in
                try NIOSSLContext(configuration: configuration)
            }
        }

        /// Returns a phrase that says why a connection failed.
        ///
        /// If a certificate is the cause, the phrase also says what to do.
        static func reason(for error: any Error) -> String {
            let text = "\(error)"
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return
                    "its certificate is not signed by an authority in cluster.certificateAuthority, "
                    + "has expired, or is not valid yet"
            }
            if text.contains("failedToValidateHostname") {
                return
                    "its certificate is not valid for the name or address in cluster.endpoints: issue "
                    + "a certificate that contains it as a subject alternative name"
            }
            if text.contains("CERTIFICATE_REQUIRED") || text.contains("ALERT_BAD_CERTIFICATE")
                || text.contains("ALERT_UNKNOWN_CA") || text.contains("ALERT_CERTIFICATE")
            {
                return
                    "it requires a client certificate that it trusts: provide the credentials etcd.crt "
                    + "and etcd.key"
            }
            if text.contains("WRONG_VERSION_NUMBER") || text.contains("EOF during handshake") {
                return missingTLSReason
            }
            return text
        }

        /// Phrase for a server that closes a TLS connection without a reply.
        static let missingTLSReason =
            "it closed the connection: if it does not use TLS, write its address in cluster.endpoints with "
            + "http://, or configure TLS for etcd"

        private static func read<Content>(
            _ path: String, _ body: (String) throws -> Content
        ) throws(UnusableFile) -> Content {
            do {
                return try body(path)
            } catch {
                throw UnusableFile(path: path, reason: "\(error)")
            }
        }
    }

    extension EtcdEndpoint {
        /// Server name for TLS, or `nil` if the host is an IP address.
        ///
        /// The server's certificate must contain this name.
        ///
        /// TLS does not allow IP addresses as server names.
        var serverName: String? {
            let isIPAddress =
                host.contains(":")
                || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
            return isIPAddress ? nil : host
        }
    }
#endif
