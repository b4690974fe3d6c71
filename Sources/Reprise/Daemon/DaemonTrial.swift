import Glibc
import Systemd

/// What a check puts in the place of what a start would have.
struct DaemonTrial: Sendable {
    /// The folder of the storyboards; nil: that beside the configuration.
    var storyboards: String?
    /// A drop-in that is laid over all others, or in the place of that of its name; nil: none.
    var dropIn: String?
    /// The service of the system whose user, folder of configuration and limit of descriptors count; nil:
    /// those of this process.
    var unit: String?

    /// A trial with these parts.
    init(storyboards: String? = nil, dropIn: String? = nil, unit: String? = nil) {
        self.storyboards = storyboards
        self.dropIn = dropIn
        self.unit = unit
    }

    /// Makes this process one of the service's, for good.
    ///
    /// - Returns: the variables of the environment that the service will have instead.
    /// - Throws: ``Failure``, or `SystemdFailure` if there is no such service.
    func becomeService() throws -> [String: String] {
        guard let unit else { return [:] }
        let properties = try UnitProperties(of: unit)
        DescriptorLimit.take(properties.descriptors)
        try becomeUser(properties, of: unit)
        let folders = properties.configurationDirectories.map { "/etc/\($0)" }
        return ["CONFIGURATION_DIRECTORY": folders.joined(separator: ":")]
    }

    private func becomeUser(_ properties: UnitProperties, of unit: String) throws {
        let name = properties.user
        if name.isEmpty { return }
        guard let entry = getpwnam(name) else { throw Failure.unknown("user", name) }
        let user = entry.pointee.pw_uid
        var group = entry.pointee.pw_gid
        if !properties.group.isEmpty {
            guard let number = ControlAccess.groupNumber(named: properties.group) else {
                throw Failure.unknown("group", properties.group)
            }
            group = number
        }
        guard initgroups(name, group) == 0, setgid(group) == 0, setuid(user) == 0 else {
            throw Failure.refused(unit: unit, user: name, errno: errno)
        }
    }

    /// Why this process cannot become one of the service's.
    enum Failure: Error, CustomStringConvertible {
        case unknown(String, String)
        case refused(unit: String, user: String, errno: CInt)

        /// One sentence: what is wrong, and what to do.
        var description: String {
            switch self {
            case .unknown(let what, let name):
                "the \(what) \(name) of the unit does not exist: make it, as systemd-sysusers does."
            case .refused(let unit, let user, let errno):
                "cannot check as \(user), the user of \(unit) (\(String(cString: strerror(errno)))): "
                    + "run the check as root."
            }
        }
    }
}
