#if Etcd
    import ExactText
    import Testing

    @testable import Replication

    @Suite struct EtcdSecurityTests {
        /// Error with the text of an error of the TLS library.
        private struct TextError: Error, CustomStringConvertible {
            let description: String
        }

        @Test(arguments: [
            ("handshakeFailed(CERTIFICATE_VERIFY_FAILED)", "its certificate is not signed by"),
            (
                "failedToValidateHostname(\"one\")",
                "its certificate is not valid for the name or address"
            ),
            ("TLSV1_ALERT_CERTIFICATE_REQUIRED", "it requires a client certificate"),
            ("CERTIFICATE_REQUIRED", "it requires a client certificate"),
            ("SSLV3_ALERT_BAD_CERTIFICATE", "it requires a client certificate"),
            ("TLSV1_ALERT_UNKNOWN_CA", "it requires a client certificate"),
            ("SSLV3_ALERT_CERTIFICATE_EXPIRED", "it requires a client certificate"),
            ("WRONG_VERSION_NUMBER", "it closed the connection: if it does not use TLS"),
            ("EOF during handshake", "it closed the connection: if it does not use TLS"),
            ("anything else", "anything else"),
        ])
        func `a failed TLS connection is explained`(text: String, reason: String) {
            #expect(
                EtcdSecurity.reason(for: TextError(description: text)).hasPrefix(reason))
        }
    }
#endif
