/// A value that is stored in its own record because of its size.
package struct LargeValue {
    /// Number of the key.
    package var keyNumber: UInt32
    /// Range of the key and the value in ``StateEncoder/bytes``.
    package var byteRange: Range<Int>
}
