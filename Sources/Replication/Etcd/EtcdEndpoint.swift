import ExactText

/// Address at which an etcd server accepts client requests, for example `http://10.0.0.1:2379`.
package struct EtcdEndpoint: Sendable, Equatable, CustomStringConvertible {
    /// Whether connections use TLS.
    package let isSecure: Bool
    /// Host name or IP address.
    ///
    /// An IPv6 address has no brackets.
    package let host: String
    /// Port number.
    package let port: Int

    /// Parses a URL, or returns `nil` if the text is not a valid server URL.
    ///
    /// The URL consists of the scheme `http` or `https`, a host, and an optional port, which is 2379 by default.
    package init?(_ text: String) {
        var remainder = text[...]
        if remainder.hasPrefix("https://") {
            isSecure = true
            remainder = remainder.dropFirst(8)
        } else if remainder.hasPrefix("http://") {
            isSecure = false
            remainder = remainder.dropFirst(7)
        } else {
            return nil
        }
        if remainder.hasSuffix("/") { remainder = remainder.dropLast() }
        var portText: Substring?
        if remainder.first == "[" {
            guard let addressEnd = remainder.firstIndex(of: "]") else { return nil }
            host = String(remainder[remainder.index(after: remainder.startIndex)..<addressEnd])
            let suffix = remainder[remainder.index(after: addressEnd)...]
            guard suffix.isEmpty || suffix.first == ":" else { return nil }
            if !suffix.isEmpty { portText = suffix.dropFirst() }
        } else {
            let parts = remainder.split(separator: ":", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count) else { return nil }
            host = String(parts[0])
            if parts.count == 2 { portText = parts[1] }
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else {
            return nil
        }
        guard let portNumber = portText.map({ Int($0) }) ?? 2379, (1...65535).contains(portNumber)
        else {
            return nil
        }
        self.port = portNumber
    }

    /// Returns the reason why this program does not support an endpoint, or `nil` if it does.
    package static func unsupportedReason(of endpoint: EtcdEndpoint) -> String? {
        #if Etcd
            nil
        #else
            "remove the key cluster: this program was built without the package trait Etcd"
        #endif
    }

    /// Address as a URL that includes the port.
    package var description: String {
        "\(isSecure ? "https" : "http")://\(authority)"
    }

    /// Host and port, as in the Host header of a request.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
