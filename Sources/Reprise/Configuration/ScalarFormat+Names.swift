package import PositionedYAML
import Replication

extension ScalarFormat where Value == String {
    /// Bundle identifier in reverse DNS notation.
    ///
    /// The identifier consists of at least two parts, separated by dots. Each part consists of ASCII letters, digits
    /// and hyphens. The identifier has at most ``ConfiguredApplication/maximumBundleIdentifierBytes`` bytes.
    package static var bundleIdentifier: Self {
        string.refusing { name in
            let maximumBytes = ConfiguredApplication.maximumBundleIdentifierBytes
            if name.utf8.count > maximumBytes { return "write at most \(maximumBytes) bytes" }
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            let isValid =
                parts.count > 1
                && parts.allSatisfy { part in
                    !part.isEmpty && part.utf8.allSatisfy(\.isLetterDigitOrHyphen)
                }
            return isValid
                ? nil
                : "write a reverse domain name of letters, digits, \"-\" and \".\", "
                    + "such as org.example.Panel"
        }
    }

    /// Name of a scene, which is an identifier according to rule I5.
    ///
    /// The name has 1 to 255 bytes, and contains no `/` and no control characters. It does not begin with `@`, and does
    /// not end with `~` and digits.
    package static var sceneName: Self {
        string.refusing { name in
            if name.isEmpty || name.utf8.count > 255 { return "write 1 to 255 bytes" }
            if name.unicodeScalars.contains("/") { return "write a name without \"/\"" }
            if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                return "write a name without control characters"
            }
            if name.unicodeScalars.first == "@" {
                return "write a name that does not begin with \"@\""
            }
            let beforeDigits = name.utf8.reversed().drop { $0.isDigit }
            if beforeDigits.first == UInt8(ascii: "~"), name.utf8.last?.isDigit == true {
                return "write a name that does not end in \"~\" and digits"
            }
            return nil
        }
    }

    /// File name of a storyboard in the `storyboards/` directory, without a path.
    package static var storyboardFile: Self {
        string.refusing { name in
            let isValid =
                name.hasSuffix(".yaml") && !name.hasPrefix(".") && name.utf8.count <= 255
                && !name.unicodeScalars.contains { $0 == "/" || $0 == "\0" }
            return isValid ? nil : "write the name of a file in storyboards/, such as Panel.yaml"
        }
    }

    /// Name of a cluster, or of a host in a cluster.
    ///
    /// The name has 1 to 63 letters, digits, `-`, `_` and `.`, and does not begin with a dot.
    package static var clusterName: Self {
        string.refusing { name in
            let isValid =
                (1...63).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
                && name.utf8.allSatisfy {
                    $0.isLetterDigitOrHyphen || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
                }
            return isValid
                ? nil : "write 1 to 63 letters, digits, \"-\", \"_\" and \".\""
        }
    }

    /// Absolute path of a file that contains certificates.
    package static var certificateFile: Self {
        string.refusing { path in
            path.utf8.first == UInt8(ascii: "/") && !path.utf8.contains(0)
                ? nil : "write the absolute path of a file in PEM, or null"
        }
    }

    /// Address of an etcd server.
    package static var etcdEndpoint: Self {
        string.refusing { text in
            guard let endpoint = EtcdEndpoint(text) else {
                return "write the address of an etcd server, such as http://10.0.0.1:2379"
            }
            return EtcdEndpoint.unsupportedReason(of: endpoint)
        }
    }

    /// Absolute path of a Unix socket, at most 107 bytes long (`unix(7)`).
    package static var socketPath: Self {
        string.refusing { path in
            if path.utf8.first != UInt8(ascii: "/") || path.utf8.last == UInt8(ascii: "/") {
                return "write the absolute path of a socket, or null"
            }
            if path.utf8.contains(0) { return "write a path without a zero byte" }
            if path.utf8.count > DaemonLocations.maximumSocketPathBytes {
                return "write at most \(DaemonLocations.maximumSocketPathBytes) bytes"
            }
            return nil
        }
    }

    /// Absolute path of a file for node exporter's textfile collector, which reads only files that end in `.prom`.
    package static var metricsFile: Self {
        string.refusing { path in
            let isValid =
                path.utf8.first == UInt8(ascii: "/") && path.hasSuffix(".prom")
                && !path.hasSuffix("/.prom") && !path.utf8.contains(0)
            return isValid
                ? nil : "write the absolute path of a file that ends in .prom, or null"
        }
    }

    /// Name of a Unix group.
    ///
    /// The name has 1 to 32 ASCII letters, digits, `_`, `.` and `-`, and does not begin with a digit or `-`.
    package static var groupName: Self {
        string.refusing { name in
            let isValid =
                (1...32).contains(name.utf8.count)
                && name.utf8.first.map { !$0.isDigit && $0 != UInt8(ascii: "-") } == true
                && name.utf8.allSatisfy {
                    $0.isLetterDigitOrHyphen || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
                }
            return isValid ? nil : "write the name of a Unix group, or null"
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isLetterDigitOrHyphen: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit || self == UInt8(ascii: "-")
        }
    }
}
