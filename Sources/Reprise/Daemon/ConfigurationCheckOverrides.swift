import Glibc
import Systemd

/// Values that a configuration check uses instead of the installed files and the current user.
struct ConfigurationCheckOverrides: Sendable {
    /// Directory that contains the storyboards, or `nil` for the directory beside the configuration.
    var storyboardsDirectory: String?
    /// Drop-in to check, or `nil` to check only installed drop-ins.
    ///
    /// The drop-in is applied as if it were installed. If its file name is not that of a drop-in, it is applied last.
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

    /// Sentence that says that the drop-in was merged last, or `nil` if the drop-in was merged as if it were installed.
    var mergeOrderNote: String? {
        guard let dropIn, !LoadedConfiguration.isDropInName(dropIn.lastPathComponent) else {
            return nil
        }
        return
            "note: \(dropIn) was merged last, because its name is not that of a drop-in. Installed drop-ins "
            + "are merged in the byte order of their file names."
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
        let user = try Failure.require("user", name) { () throws(Accounts.LookupError) in
            try Accounts.user(named: name)
        }
        let groupID =
            try properties.group.isEmpty
            ? user.groupID
            : Failure.require("group", properties.group) { () throws(Accounts.LookupError) in
                try Accounts.groupID(named: properties.group)
            }
        guard initgroups(name, groupID) == 0, setgid(groupID) == 0, setuid(user.id) == 0 else {
            throw Failure.identityChangeRefused(unit: unit, user: name, errno: errno)
        }
    }

    /// Reason why this process cannot adopt the service's user and group.
    enum Failure: Error, CustomStringConvertible {
        case unknownAccount(String, String)
        case lookupFailed(String, String, errno: CInt)
        case identityChangeRefused(unit: String, user: String, errno: CInt)

        /// Returns the result of a lookup.
        ///
        /// - Throws: ``Failure`` if the account does not exist or could not be looked up.
        static func require<Account>(
            _ kind: String, _ name: String,
            _ lookUp: () throws(Accounts.LookupError) -> Account?
        ) throws(Failure) -> Account {
            let account: Account?
            do throws(Accounts.LookupError) {
                account = try lookUp()
            } catch {
                throw .lookupFailed(kind, name, errno: error.errno)
            }
            guard let account else { throw .unknownAccount(kind, name) }
            return account
        }

        /// Sentence that states what is wrong and what to do.
        var description: String {
            switch self {
            case .unknownAccount(let kind, let name):
                "the \(kind) \(name) of the unit does not exist: create it, for example with systemd-sysusers."
            case .lookupFailed(let kind, let name, let errno):
                "the \(kind) \(name) of the unit could not be looked up (\(String(cString: strerror(errno)))): "
                    + "check /etc/nsswitch.conf and the services that it names."
            case .identityChangeRefused(let unit, let user, let errno):
                "cannot check as \(user), the user of \(unit) (\(String(cString: strerror(errno)))): "
                    + "run the check as root."
            }
        }
    }
}
