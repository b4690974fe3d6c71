import Subprocess
import SystemPackage
import Testing

@Suite(.serialized) struct ContainerTests {
    private struct Thrown: Error {}

    @Test(arguments: Debian.allCases)
    func `a container boots completely and is removed afterwards`(debian: Debian) async throws {
        let root = try await Container.withBooted(debian) { container in
            let state = try await container.run("systemctl", "is-system-running", "--wait")
            #expect(state.output == "running\n")
            let first = try await container.run("cat", "/proc/1/comm")
            #expect(first.output == "systemd\n")
            return container.root
        }
        #expect(throws: Errno.noSuchFileOrDirectory) { try FileDescriptor.open(root, .readOnly) }
    }

    @Test func `an error in the body is rethrown, and the container's root is kept`() async throws {
        var root: FilePath?
        await #expect(throws: Thrown.self) {
            try await Container.withBooted(.debian13) { container in
                root = container.root
                throw Thrown()
            }
        }
        let keptRoot = try #require(root)
        try FileDescriptor.open(keptRoot, .readOnly).close()
        try await CommandResult.of("rm", "-rf", "--one-file-system", keptRoot.string)
    }

    @Test func `the error of a failed command contains its complete output`() async throws {
        try await Container.withBooted(.debian12) { container in
            let failure = await #expect(throws: CommandFailure.self) {
                try await container.run("sh", "-c", "echo out; echo err >&2; exit 3")
            }
            #expect(failure?.result.status == .exited(3))
            #expect(failure?.description.contains("out\nerr") == true)
        }
    }

    @Test func `the error for a container that does not boot contains its output`() async throws {
        var broken = Installation()
        broken.add("/dev/null", to: "/usr/lib/systemd/systemd", mode: "755")
        let failure = await #expect(throws: ContainerFailure.self) {
            try await Container.withBooted(.debian12, installing: broken) { _ in }
        }
        let keptRoot = try #require(failure?.root)
        #expect(failure?.description.contains("did not boot") == true)
        try await CommandResult.of("rm", "-rf", "--one-file-system", keptRoot.string)
    }
}
