// The simulated disk also uses this module in builds without tests.
#if canImport(Testing)
    import Glibc
    package import Testing

    extension Trait where Self == ConditionTrait {
        /// Trait that runs a test only if the user is root.
        package static var needsRoot: Self {
            .enabled(if: geteuid() == 0, "needs root: script/test --all runs it")
        }
    }
#endif
