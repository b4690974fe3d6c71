import Glibc

/// The bits of inotify(7): what is asked for, and what happened.
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

    private static let onlyFolder = InotifyMask(rawValue: UInt32(IN_ONLYDIR))
    private static let dontFollow = InotifyMask(rawValue: UInt32(IN_DONT_FOLLOW))
    private static let excludeUnlinked = InotifyMask(rawValue: UInt32(IN_EXCL_UNLINK))
    private static let add = InotifyMask(rawValue: UInt32(IN_MASK_ADD))

    /// For a folder on the way to a target: which names come and go, or may be read by others than
    /// before, and whether it goes itself.
    static let names: InotifyMask = [
        .create, .delete, .movedFrom, .movedTo, .deleteSelf, .moveSelf, .attributes,
        .onlyFolder, .dontFollow, .add,
    ]
    /// For a folder that holds a target: also which of its files were written.
    ///
    /// A file that lost its name is left out: closing it says nothing about the one that has it.
    static let contents: InotifyMask = [.names, .closeWrite, .excludeUnlinked]
    /// For a file itself, which may be written under another name: a hard link, or another mount.
    static let file: InotifyMask = [.closeWrite, .dontFollow, .add]

    /// What an event of this kind tells of the name it carries.
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
