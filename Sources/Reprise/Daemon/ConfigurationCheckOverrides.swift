import Glibc
import Systemd

/// Values that a configuration check uses instead of the installed files and the current user.
struct ConfigurationCheckOverrides: Sendable {
    /// Directory that contains the storyboards, or `nil` for the directory beside the configuration.
    var storyboardsDirectory: String?
    /// Drop-in to check, or `nil` to check only installed drop-ins.
    ///
    /// The drop-in replaces an installed drop-in with the same file name, or is applied last.
    var dropIn: String?
    /// System service whose user, configuration directory and descriptor limit the check adopts, or `nil` to check as
    /// this process.
    var unit: String?

    /// Creates overrides with the given values.
    init(storyboardsDirectory: String? = nil, dropIn: String? = nil, unit: String? = nil) {
        self.storyboardsDirectory = storyboardsDirectory
        self.dropIn = dropIn
        self.unit = unit
    }

    /// Permanently switches this process to the user, group and descriptor limit of the service.
    ///
    /// - Returns: The environment variables whose values are different for the service.
    /// - Throws: ``Failure``, or `SystemdError` if the service does not exist.
    func becomeService() throws -> [String: String] {
        guard let unit else { return [:] }
        let properties = try UnitProperties(of: unit)
        DescriptorLimit.adopt(properties.descriptorLimit)
        try becomeUser(properties, of: unit)
        let directories = properties.configurationDirectories.map { "/etc/\($0)" }
        return ["CONFIGURATION_DIRECTORY": directories.joined(separator: ":")]
    }

    private func becomeUser(_ properties: UnitProperties, of unit: String) throws {
        let name = properties.user
        if name.isEmpty { return }
        guard let entry = getpwnam(name) else { throw Failure.unknownAccount("user", name) }
        let userID = entry.pointee.pw_uid
        var groupID = entry.pointee.pw_gid
        if !properties.group.isEmpty {
            guard let number = ControlAccess.groupNumber(named: properties.group) else {
                throw Failure.unknownAccount("group", properties.group)
            }
            groupID = number
        }
        guard initgroups(name, groupID) == 0, setgid(groupID) == 0, setuid(userID) == 0 else {
            throw Failure.identityChangeRefused(unit: unit, user: name, errno: errno)
        }
    }

    /// Reason why this process cannot adopt the service's user and group.
    enum Failure: Error, CustomStringConvertible {
        case unknownAccount(String, String)
        case identityChangeRefused(unit: String, user: String, errno: CInt)

        /// Sentence that states what is wrong and what to do.
        var description: String {
            switch self {
            case .unknownAccount(let kind, let name):
                "the \(kind) \(name) of the unit does not exist: create it, for example with systemd-sysusers."
            case .identityChangeRefused(let unit, let user, let errno):
                "cannot check as \(user), the user of \(unit) (\(String(cString: strerror(errno)))): "
                    + "run the check as root."
            }
        }
    }
}
