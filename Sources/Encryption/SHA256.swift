/// SHA-256 digests of whole files (see sha256sum(1)).
package enum SHA256 {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the digest of the given bytes as 64 hexadecimal digits.
    package static func hexDigest(of bytes: [UInt8]) -> String {
        String(
            decoding: Cryptography.digest(bytes).flatMap {
                [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]]
            },
            as: UTF8.self)
    }
}
