import ExactText

/// Parameters in the format of HTML forms and queries (`application/x-www-form-urlencoded`).
struct FormParameters: Sendable {
    private var pairs: [(name: String, value: String)] = []

    /// Decodes parameters, or returns `nil` if the text is not encoded correctly.
    init?(_ text: String) {
        for pair in Substring(text).utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]),
                let value = Self.decode(parts.count > 1 ? parts[1] : Substring().utf8)
            else { return nil }
            pairs.append((name, value))
        }
    }

    /// The first value with the given name, or `nil` if there is none.
    subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Returns text in which every byte that has a meaning in a URL or in HTML is encoded.
    static func encode(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += (byte < 16 ? "%0" : "%") + digits
            }
        }
        return result
    }

    private static func decode(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2,
                    digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let value = UInt8(String(Substring(digits)), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Scene to which a page refers.
struct SceneAddress: Sendable {
    /// Bundle identifier of the application.
    let application: String
    /// Name of the scene.
    let scene: String

    /// Creates the address of a scene.
    init(application: String, scene: String) {
        self.application = application
        self.scene = scene
    }

    /// Returns the URL of a page about the scene.
    ///
    /// - Parameters:
    ///   - path: The path of the page.
    ///   - parameters: Names and values in addition to the application and the scene.
    func url(_ path: String, _ parameters: (name: String, value: String)...) -> String {
        let all = [("application", application), ("scene", scene)] + parameters
        return path + "?"
            + all.map { "\($0.0)=\(FormParameters.encode($0.1))" }.joined(separator: "&")
    }
}
