import Glibc

/// Event bits of inotify(7), both requested and reported.
struct InotifyMask: OptionSet, Hashable {
    let rawValue: UInt32

    static let closeWrite = InotifyMask(rawValue: UInt32(IN_CLOSE_WRITE))
    static let movedFrom = InotifyMask(rawValue: UInt32(IN_MOVED_FROM))
    static let movedTo = InotifyMask(rawValue: UInt32(IN_MOVED_TO))
    static let create = InotifyMask(rawValue: UInt32(IN_CREATE))
    static let delete = InotifyMask(rawValue: UInt32(IN_DELETE))
    static let deleteSelf = InotifyMask(rawValue: UInt32(IN_DELETE_SELF))
    static let moveSelf = InotifyMask(rawValue: UInt32(IN_MOVE_SELF))
    static let attributes = InotifyMask(rawValue: UInt32(IN_ATTRIB))
    static let unmount = InotifyMask(rawValue: UInt32(IN_UNMOUNT))
    static let overflow = InotifyMask(rawValue: UInt32(IN_Q_OVERFLOW))

    private static let onlyDirectory = InotifyMask(rawValue: UInt32(IN_ONLYDIR))
    private static let dontFollow = InotifyMask(rawValue: UInt32(IN_DONT_FOLLOW))
    private static let excludeUnlinked = InotifyMask(rawValue: UInt32(IN_EXCL_UNLINK))
    private static let addToWatch = InotifyMask(rawValue: UInt32(IN_MASK_ADD))

    /// Events for a directory on the path to a target: names that appear, disappear or change their attributes, and the
    /// removal of the directory itself.
    static let nameEvents: InotifyMask = [
        .create, .delete, .movedFrom, .movedTo, .deleteSelf, .moveSelf, .attributes,
        .onlyDirectory, .dontFollow, .addToWatch,
    ]
    /// Events for a directory that contains a target: the events in ``nameEvents``, and writes to files.
    ///
    /// Unlinked files are excluded, because closing such a file does not affect a newer file with the same name.
    static let contentEvents: InotifyMask = [.nameEvents, .closeWrite, .excludeUnlinked]
    /// Events for a target file itself, which may be written through another name, such as a hard link or another
    /// mount.
    static let fileEvents: InotifyMask = [.closeWrite, .dontFollow, .addToWatch]

    /// Changes to the name in an event that has this mask.
    var changes: FileChanges {
        var changes: FileChanges = []
        if contains(.closeWrite) { changes.insert(.written) }
        if contains(.movedTo) { changes.insert(.replaced) }
        if contains(.create) { changes.insert(.created) }
        if !isDisjoint(with: [.delete, .movedFrom]) { changes.insert(.removed) }
        if contains(.attributes) { changes.insert(.attributes) }
        return changes
    }
}
