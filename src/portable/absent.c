/* What libhwloc.a asks for and a statically linked program has not: libudev, which Debian does not
 * build as an archive, and the dynamic loader. Linked into the portable program alone (`make
 * portable`).
 *
 * udev tells hwloc about block devices, which this program never asks for; hwloc does without when
 * udev_new() returns NULL. The loader serves hwloc's plugins: those of another machine, built
 * against another C library, must not be loaded, and a plugin that cannot be opened is left out in
 * silence. The linker's --wrap sends calls of NAME to __wrap_NAME. */
#include <stddef.h>

struct udev;
struct udev_device;

struct udev *udev_new(void);
struct udev *udev_unref(struct udev *udev);
struct udev_device *udev_device_new_from_subsystem_sysname(
	struct udev *udev, const char *subsystem, const char *name);
const char *udev_device_get_property_value(struct udev_device *device, const char *key);
struct udev_device *udev_device_unref(struct udev_device *device);
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);

struct udev *udev_new(void)
{
	return NULL;
}

struct udev *udev_unref(struct udev *udev)
{
	(void)udev;
	return NULL;
}

struct udev_device *udev_device_new_from_subsystem_sysname(
	struct udev *udev, const char *subsystem, const char *name)
{
	(void)udev;
	(void)subsystem;
	(void)name;
	return NULL;
}

const char *udev_device_get_property_value(struct udev_device *device, const char *key)
{
	(void)device;
	(void)key;
	return NULL;
}

struct udev_device *udev_device_unref(struct udev_device *device)
{
	(void)device;
	return NULL;
}

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int __wrap_dlclose(void *handle)
{
	(void)handle;
	return 0;
}

char *__wrap_dlerror(void)
{
	static char none[] = "no dynamic loader in a statically linked program";

	return none;
}
