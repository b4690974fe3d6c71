import ExactText
import Glibc
import LinuxIO

/// Why a document of an application could not be read or replaced.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum DocumentError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No document can have this name.
    case invalidName(String)
    /// The kernel refused.
    ///
    /// - Parameters:
    ///   - path: the file or folder that it was about.
    ///   - errno: the kernel's reason, see errno(3).
    ///   - sentence: both in words, and what to do.
    case io(path: String, errno: Int32, sentence: String)

    /// The longest name for which the temporary file beside it still has a name of 255 bytes.
    static let mostBytes = 250

    init(_ error: IOError) {
        self = .io(path: error.path, errno: error.code, sentence: error.description)
    }

    /// A document that could not be read again.
    static func tooLong(_ path: String, _ bytes: Int) -> DocumentError {
        .io(
            path: path, errno: EFBIG,
            sentence: """
                The document \(path) was not replaced: \(bytes) bytes are more than the maximum of \
                \(DocumentsFolder.usualLimit); store less in it.
                """)
    }

    /// One sentence: what failed, which document, and what to do.
    public var description: String {
        switch self {
        case .invalidName(let name):
            let shown = name.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
            return """
                "\(shown)" cannot be the name of a document; give one of 1 to \(Self.mostBytes) \
                bytes that does not begin with '.' and has no '/' or control characters.
                """
        case .io(_, _, let sentence): return sentence
        }
    }
}
