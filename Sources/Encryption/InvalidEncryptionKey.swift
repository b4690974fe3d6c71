/// Reason why the given bytes are not a valid key.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum InvalidEncryptionKey: Error, Sendable, Equatable, CustomStringConvertible {
    /// The input has neither the length of a binary key nor the length of a hexadecimal key.
    ///
    /// The value is the length in bytes.
    case wrongLength(Int)
    /// The input has 64 characters, but the character at this position is not a hexadecimal digit.
    ///
    /// Positions start at 1.
    case invalidDigit(position: Int)
    /// All bytes of the key are equal.
    case allBytesEqual
    /// The program was built without the package's `Encryption` trait.
    case encryptionNotSupported

    /// Description of the problem, which completes a sentence that begins with the name of the input.
    public var description: String {
        let problem =
            switch self {
            case .wrongLength(let count) where count > 100:
                "has \(count) bytes and is not a valid key; if systemd-creds encrypted it, pass it with "
                    + "LoadCredentialEncrypted="
            case .wrongLength(let count): "has \(count) bytes and is not a valid key"
            case .invalidDigit(let position):
                "is not a valid key: character \(position) is not a hexadecimal digit"
            case .allBytesEqual: "repeats the same byte, and is not a valid key"
            case .encryptionNotSupported:
                "cannot be used, because the program was built without the trait Encryption of its "
                    + "package"
            }
        return """
            \(problem); a key has 32 bytes, or 64 hexadecimal digits, and if files are already encrypted, \
            it must be the key that they were encrypted with
            """
    }
}
