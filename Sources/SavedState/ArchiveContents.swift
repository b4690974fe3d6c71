/// What an archive holds after its last complete pass.
package struct ArchiveContents: Sendable, Equatable {
    /// The names by their numbers.
    package var names: [UInt32: String]
    /// The newest record of each object, each after its parent, scenes one after the other.
    package var objects: [ObjectRecord]
    /// The newest pass of each scene, by the scene's object number.
    package var passes: [UInt32: PassEnd]
    /// Whether the application ended in an orderly way after its last pass.
    package var closed: Bool
    /// The sequence number of the last record that counts.
    package var sequence: UInt64
    /// The highest number that any object read here has had; 0 for none.
    package var highestObjectNumber: UInt32
    /// The highest number of a name; 0 for none.
    package var highestNameNumber: UInt32

    /// What an archive holds in which nothing was saved.
    package static let empty = ArchiveContents(
        names: [:], objects: [], passes: [:], closed: false, sequence: 0, highestObjectNumber: 0,
        highestNameNumber: 0)
}
