/// A value that is stored in its own record because of its size.
package struct LargeValue {
    /// Number of the value's key in the name table.
    package var keyNumber: UInt32
    /// Range of ``StateEncoder/bytes`` that contains the key and the value.
    package var byteRange: Range<Int>
}
