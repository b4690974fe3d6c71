import ExactText
import Glibc
import LinuxIO

/// An error that prevented reading or replacing a document of an application.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum DocumentError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name is not valid for a document.
    case invalidName(String)
    /// The operating system reported an error.
    ///
    /// - Parameters:
    ///   - path: Path of the file or directory.
    ///   - errno: Error number, see errno(3).
    ///   - sentence: Description of the error and its remedy.
    case io(path: String, errno: Int32, sentence: String)

    /// Maximum length of a name in bytes, so that the longer name of the temporary file has at most 255
    /// bytes.
    static let maximumBytes = 250

    init(_ error: IOError) {
        self = .io(path: error.path, errno: error.code, sentence: error.description)
    }

    /// Returns the error for a document that is too long to be read again.
    static func tooLong(_ path: String, _ bytes: Int) -> DocumentError {
        .io(
            path: path, errno: EFBIG,
            sentence: """
                The document \(path) was not replaced: \(bytes) bytes are more than the maximum of \
                \(DocumentsFolder.usualLimit); store less in it.
                """)
    }

    /// Description of the failure, the document and the remedy, in one sentence.
    public var description: String {
        switch self {
        case .invalidName(let name):
            let shown = name.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
            return """
                "\(shown)" cannot be the name of a document; give one of 1 to \(Self.maximumBytes) \
                bytes that does not begin with '.' and has no '/' or control characters.
                """
        case .io(_, _, let sentence): return sentence
        }
    }
}
