/// What the path of an opened folder stands for now.
package enum FolderStanding: Sendable, Equatable {
    /// That folder.
    case same
    /// Something else, or nothing: the folder or one above it was renamed, or a file system was mounted
    /// or unmounted there.
    case other
    /// Nothing of it any more: the folder was removed. What is opened can never be put back.
    case removed
}
