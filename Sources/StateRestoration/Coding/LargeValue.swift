/// A value that is stored in its own record because of its size.
package struct LargeValue {
    /// Number of the key.
    package var key: UInt32
    /// Range of the key and the value in ``StateEncoder/bytes``.
    package var range: Range<Int>
}
