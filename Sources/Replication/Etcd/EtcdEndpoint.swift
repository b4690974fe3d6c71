import ExactText

/// Where an etcd server takes requests of clients: `http://10.0.0.1:2379`.
package struct EtcdEndpoint: Sendable, Equatable, CustomStringConvertible {
    /// Whether it is spoken to by TLS.
    package let isSecure: Bool
    /// A name or an address; one of IPv6 without its brackets.
    package let host: String
    /// A port.
    package let port: Int

    /// Nil if the text is no address of a server: `http` or `https`, a host, and a port, which may be left
    /// out for 2379.
    package init?(_ text: String) {
        var rest = text[...]
        if rest.hasPrefix("https://") {
            isSecure = true
            rest = rest.dropFirst(8)
        } else if rest.hasPrefix("http://") {
            isSecure = false
            rest = rest.dropFirst(7)
        } else {
            return nil
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var port: Substring?
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            let behind = rest[rest.index(after: end)...]
            guard behind.isEmpty || behind.first == ":" else { return nil }
            if !behind.isEmpty { port = behind.dropFirst() }
        } else {
            let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count) else { return nil }
            host = String(parts[0])
            if parts.count == 2 { port = parts[1] }
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else {
            return nil
        }
        guard let number = port.map({ Int($0) }) ?? 2379, (1...65535).contains(number) else {
            return nil
        }
        self.port = number
    }

    /// Why this program cannot use an address; nil: it can.
    package static func refusal(of endpoint: EtcdEndpoint) -> String? {
        #if Etcd
            nil
        #else
            "remove cluster: this program was built without the trait Etcd of its package"
        #endif
    }

    /// As it is written in the configuration.
    package var description: String {
        "\(isSecure ? "https" : "http")://\(authority)"
    }

    /// Host and port, as a request names them.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
