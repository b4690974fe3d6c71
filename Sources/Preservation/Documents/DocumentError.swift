import ExactText
import Glibc
import LinuxIO

/// Error that prevented a document from being read or replaced.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum DocumentError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name is not a valid document name.
    case invalidName(String)
    /// The operating system reported an error.
    ///
    /// - Parameters:
    ///   - path: The path of the file or directory.
    ///   - errno: The error number (see errno(3)).
    ///   - sentence: A description of the error and its remedy.
    case io(path: String, errno: Int32, sentence: String)

    /// Maximum length of a document's name in bytes.
    ///
    /// The name of the temporary file is longer and must not exceed 255 bytes.
    static let maximumNameBytes = 250

    init(_ error: IOError) {
        self = .io(path: error.path, errno: error.code, sentence: error.description)
    }

    /// Returns the error for a document that would be too large to read back.
    static func tooLarge(_ path: String, _ byteCount: Int) -> DocumentError {
        .io(
            path: path, errno: EFBIG,
            sentence: """
                The document \(path) was not replaced: it would have \(byteCount) bytes, and the maximum \
                is \(DocumentsDirectory.maximumDocumentSize); store less in it.
                """)
    }

    /// Sentence that describes the failure, the document and the remedy.
    public var description: String {
        switch self {
        case .invalidName(let name):
            let escapedName = name.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
            return """
                "\(escapedName)" cannot be the name of a document; use a name of 1 to \(Self.maximumNameBytes) \
                bytes that does not begin with '.' and has no '/' or control characters.
                """
        case .io(_, _, let sentence): return sentence
        }
    }
}
