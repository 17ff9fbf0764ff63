# The engine is linked in: CANDO_ROOT is the project, whose build/libcando.a has it all.
import os

from setuptools import Extension, setup
from wheel.bdist_wheel import bdist_wheel


class Stable(bdist_wheel):
    def finalize_options(self):
        self.py_limited_api = "cp38"
        super().finalize_options()


root = os.environ["CANDO_ROOT"]
setup(
    version=os.environ["CANDO_VERSION"],
    cmdclass={"bdist_wheel": Stable},
    ext_modules=[
        Extension(
            "cando._cando",
            ["cando/_cando.c"],
            include_dirs=[os.path.join(root, "include"), root],
            extra_objects=[os.path.join(root, "build", "libcando.a")],
            extra_compile_args=["-std=c17", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"],
            extra_link_args=["-Wl,--exclude-libs,ALL", "-s"],
            libraries=["m"],
            py_limited_api=True,
        )
    ],
)
